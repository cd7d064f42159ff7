const setUp = `To talk to a real model, open **Settings → Bots → Add Bot** and enter a model, its base URL and your API key. The operator of this installation can instead set \`DEFAULT_MODEL_BASE_URL\` and \`DEFAULT_MODEL_API_KEY\` for everyone.`

const code = `Here is a small program, so that you can see how code looks:

\`\`\`typescript
interface Planet {
  readonly name: string
  readonly moons: number
}

const planets: readonly Planet[] = [
  { name: 'Earth', moons: 1 },
  { name: 'Mars', moons: 2 },
  { name: 'Neptune', moons: 16 },
]

/** The planets that have more moons than ours, most first. */
export function busierThanEarth(list: readonly Planet[]): string[] {
  return list
    .filter((planet) => planet.moons > 1)
    .sort((a, b) => b.moons - a.moons)
    .map((planet) => \`\${planet.name} (\${planet.moons})\`)
}

console.log(busierThanEarth(planets).join(', '))
\`\`\`

It prints \`Neptune (16), Mars (2)\`. Use the copy button on the block to take it with you.`

const table = `A table, with a column of numbers on the right:

| Instrument | Family | Strings |
| --- | --- | ---: |
| Violin | bowed | 4 |
| Guitar | plucked | 6 |
| Harp | plucked | 47 |
| Piano | struck | about 230 |

Wide tables scroll sideways on a small screen.`

const math = `Some mathematics. The roots of $ax^2 + bx + c = 0$ are

$$
x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}
$$

and the area under the bell curve is

$$
\\int_{-\\infty}^{\\infty} e^{-x^2}\\,dx = \\sqrt{\\pi}
$$`

const chapters: readonly (readonly [title: string, body: string])[] = [
  [
    'Where a letter begins',
    'A letter begins long before the first word is written. Someone notices something worth telling, keeps it for a day, and finds that it has grown. By the time the paper lies on the table, half of the sentences are already there, waiting in the wrong order. The first line is the hardest one, because it has to choose between all of them.',
  ],
  [
    'The price of paper',
    'Paper was dear, and postage was paid by the sheet. People wrote across the page, then turned it and wrote again over their own lines, so that a single sheet carried two letters. Reading such a page takes patience and a good window. What looks like a grid becomes a voice after a while, and then a second one.',
  ],
  [
    'Roads and waiting',
    'A message travelled at the speed of a horse, and the horse had to sleep. Between the question and its answer lay weeks in which both people changed. Many old letters answer a person who no longer existed in quite that form, and the writers knew it. They wrote anyway, and they wrote more carefully for it.',
  ],
  [
    'The wire',
    'Then the wire came, and words were counted instead of sheets. Articles and pleasantries fell away first. What remained was often clearer than before, and sometimes a little cruel. A whole profession learned to guess what a sender had left out, and was right more often than one would think.',
  ],
  [
    'What stays',
    'Every new way of writing was going to end the old ones, and none of them did. What ended was the waiting. The noticing, the keeping and the wrong order of the first sentences are the same as ever, whether the answer takes a month or a moment.',
  ],
]

function long(asked: string): string {
  const body = chapters.map(
    ([title, text], index) => `## ${index + 1}. ${title}\n\n${text}\n\n${asides[index] ?? ''}`,
  )
  return `# A long answer\n\nYou wrote “${asked}”, so I will take my time. I am the built-in demo model: the text below is a fixed one. You can press stop whenever you like: the text so far stays.\n\n${body.join('\n\n')}\n\n---\n\nThat was all of it. ${setUp}`
}

const asides: readonly string[] = [
  '- noticed on Monday\n- kept until Tuesday\n  - and doubted in between\n- written on Wednesday',
  '> “I have no more room than this margin, and no more news than fits in it.”',
  '| Way | Days |\n| --- | ---: |\n| On foot | 21 |\n| By coach | 7 |\n| By rail | 2 |\n| By wire | 0 |',
  '```text\nARRIVED SAFELY STOP\nLETTER FOLLOWS STOP\n```',
  '1. Notice.\n2. Keep.\n3. Begin anywhere.',
]

/** The texts of the demo model. It never pretends to be a real one. */
export const demoTexts = {
  code,
  table,
  math,
  long,
  welcome: (asked: string) =>
    `You wrote “${asked}”.\n\nI am the **built-in demo model** of this installation. I only know a few tricks, and I am not a language model. I am here so that you can try everything else without a key:\n\n- *use the calculator to add 2 and 3* calls a tool, once you allow it\n- *write a long answer* streams for a while, so you can reload or press stop\n- *think first* shows reasoning above the answer\n- *show me code*, *a table* or *some math* shows how they look\n- *fail* sends an error as a provider would\n\n${setUp}`,
  again: ({ now, before, turns, words }: { now: string; before: string; turns: number; words: number }) =>
    `“${now}”: ${words === 1 ? 'one word' : `${words} words`}, and message number ${turns} of yours in this chat. Before that you wrote “${before}”, so you see that the conversation reaches me whole.\n\nAs a **demo model** I can only repeat and count. Try *write a long answer*, *think first* or *use the calculator to add 2 and 3*, or connect a real model: ${setUp}`,
  reasoning: (asked: string) =>
    `The user wrote “${asked}”. They want to see what thinking looks like before an answer. A demo model does not think, so the honest thing is to show the place where thinking would stand, and to keep it short. First I would restate the question. Then I would look for what is missing. Then I would answer.`,
  thought: (asked: string) =>
    `You asked: “${asked}”. The folded part above this answer is where a model's reasoning is shown when it sends any.\n\nThis is the **demo model**, so there was no real thought in it. ${setUp}`,
  noTool: (tool: string) =>
    `I would use a ${tool}, but no ${tool} was offered to me: the connectors of this bot have none that I may use.`,
  result: (result: string) =>
    `The tool answered:\n\n> ${result.replaceAll('\n', '\n> ')}\n\nI am the **demo model**, so I pass its answer on as it came.`,
  instructions: (instructions: string) =>
    `*The instructions of this bot reached me. They begin: “${instructions}”. A demo model can only repeat them, a real one follows them.*`,
  denied:
    'You did not allow the tool, so I did not use it. Ask me something else, or ask again and allow it.',
}
