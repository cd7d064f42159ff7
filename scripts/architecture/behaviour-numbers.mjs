const sentence = /^- §(\d+\.\d+) /gm
const mention = /§(\d+\.\d+)/g
const range = /§\d+\.\d+ ?[-–] ?§?\d+\.\d+/

/** A remark about the specification, which no test can prove. */
export const unprovable = new Set(['1.12'])

/**
 * Every number of a behaviour in the sources exists in `docs/behaviour.md`. There no two sentences have the same
 * number, and a test names the number of each provable sentence. Ranges of numbers are refused, because a search for a
 * number would not find them.
 *
 * @param {string} behaviour the text of `docs/behaviour.md`
 * @returns {import('./read-sources.mjs').Rule}
 */
export function checkBehaviourNumbers(behaviour) {
  const numbers = numbersOf(behaviour)
  const known = new Set(numbers)
  return (sources) => {
    const proven = new Set(sources.filter(({ isTest }) => isTest).flatMap(({ text }) => listNumbers(text)))
    return [
      ...numbers
        .filter((number, index) => numbers.indexOf(number) !== index)
        .map((number) => `docs/behaviour.md: two sentences have §${number}`),
      ...sources.flatMap(({ path, text }) => [
        ...listNumbers(text)
          .filter((number) => !known.has(number))
          .map((number) => `${path}: docs/behaviour.md has no §${number}`),
        ...(range.test(text) ? [`${path}: write out the range ${range.exec(text)?.[0]}`] : []),
      ]),
      ...[...known]
        .filter((number) => !proven.has(number) && !unprovable.has(number))
        .map((number) => `docs/behaviour.md: no test names §${number}`),
    ]
  }
}

/**
 * Returns the number of each sentence, in the order of the page.
 *
 * @param {string} behaviour
 */
export function numbersOf(behaviour) {
  return [...behaviour.matchAll(sentence)].map(([, number = '']) => number)
}

/** @param {string} text */
function listNumbers(text) {
  return [...new Set([...text.matchAll(mention)].map(([, number = '']) => number))]
}
