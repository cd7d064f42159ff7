import type { Code, Construct, Event, Extension, State, Token, TokenType } from 'micromark-util-types'

/** The tokens of GitHub's bare addresses, of which `remark-gfm` makes links. */
declare module 'micromark-util-types' {
  interface TokenTypeMap {
    literalAutolink: 'literalAutolink'
    literalAutolinkHttp: 'literalAutolinkHttp'
    literalAutolinkWww: 'literalAutolinkWww'
  }
}

/*
 * What of a text is read otherwise than GitHub reads it. Both are read as micromark reads, character by character, so
 * that code, formulas and the addresses of links stay what they are.
 */

/** Punctuation and spaces of other scripts than Latin, which no address has unless they are encoded. */
const foreignPunctuation =
  /[\u2018-\u201f\u2014\u2015\u2026\u3000-\u303f\u30fb\ufe10-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\u060c\u061b\u061f\u06d4\u05be\u05f3\u05f4\u0964\u0965]/u
/** The scripts that are written without spaces, so that a word may follow an address at once; and Korean particles. */
const unspacedLetter =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}々〆ー]/u
/**
 * What can precede the name of a page or a value in such a script: `/wiki/中文` and `?q=中文`, but not
 * `https://example.com/即可`. Grammar that follows an address in Japanese and Korean begins no name.
 */
const namePlace = /(?:^[a-z]+:\/\/[^/]+\/.*\/|[=_%&+#-])$/i
const grammar =
  /^(?:\p{Script=Hiragana}|(?:에서|에게|에|을|를|으로|로|은|는|이|가|와|과|의|도|부터|까지)(?!\p{Script=Hangul}))/u

/**
 * Returns the address at the start of a text without spaces, if a foreign script ends it; undefined if the text has no
 * such end, and the rules of GitHub apply.
 */
export function findAddress(text: string): string | undefined {
  const end = createEndFinder()(text, true)
  if (end === undefined) return undefined
  let length = end
  for (; length > 0; length--) {
    const last = text[length - 1] ?? ''
    const isExtra = last === ')' ? hasExtraBracket(text.slice(0, length)) : `!"'*,.:;?_~`.includes(last)
    if (!isExtra) break
  }
  const address = text.slice(0, length)
  return /^(?:https?:\/\/[a-z\d]|www\.[a-z\d])/i.test(address) ? address : undefined
}

/** Characters that decide whether a letter is grammar. */
const grammarLength = 4

/** Returns a function that finds where a foreign script ends a growing text, without reading it from its start again. */
function createEndFinder(): (text: string, isComplete: boolean) => number | undefined {
  let at = 0
  let isName = false
  return (text, isComplete) => {
    const end = isComplete ? text.length : text.length - grammarLength + 1
    while (at < end) {
      const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
      if (foreignPunctuation.test(character)) return at
      if (unspacedLetter.test(character)) {
        const rest = text.slice(at, at + grammarLength)
        isName ||= namePlace.test(text.slice(0, at)) && !grammar.test(rest)
        if (!isName) return at
      } else isName = false
      at += character.length
    }
    return undefined
  }
}

function hasExtraBracket(text: string): boolean {
  return text.split(')').length > text.split('(').length
}

/** A longer run of characters without a space is left to the rules of GitHub. */
const maxRunChars = 2000

type Found = { readonly length: number; readonly types: readonly TokenType[] }

/**
 * A construct that reads the characters up to the next space, and takes as many of them as `find` says. `begins` says
 * of each beginning whether it can still be one. `createEnd` returns a function that says whether enough was read: a
 * long text without spaces has many places where a construct can begin, and must not be read to its end from each.
 */
function construct(
  name: string,
  begins: (start: string) => boolean,
  createEnd: () => (run: string) => boolean,
  find: (run: string, events: readonly Event[]) => Found | undefined,
  canFollow: (previous: Code) => boolean,
): Construct {
  return {
    name,
    tokenize(effects, ok, nok) {
      const { previous, events } = this
      if (!canFollow(previous)) return nok
      let run = ''
      let left = 0
      let types: readonly TokenType[] = []
      const read: Construct = {
        partial: true,
        tokenize(inner, done, fail) {
          const isEnough = createEnd()
          const next: State = (code) => {
            if (code === null || isSpace(code) || run.length === maxRunChars) return done(code)
            run += String.fromCharCode(code)
            if (!begins(run)) return fail(code)
            inner.consume(code)
            return isEnough(run) ? done : next
          }
          return (code) => {
            inner.enter('data')
            return next(code)
          }
        },
      }
      const take: State = (code) => {
        if (left-- > 0) {
          effects.consume(code)
          return take
        }
        for (const type of types.toReversed()) effects.exit(type)
        return ok(code)
      }
      const begin: State = (code) => {
        const found = find(run, events)
        if (found === undefined) return nok(code)
        left = found.length
        ;({ types } = found)
        for (const type of types) effects.enter(type)
        return take(code)
      }
      return effects.check(read, begin, nok)
    },
  }
}

/** Line endings and tabs have negative numbers. */
function isSpace(code: number): boolean {
  return code < 0 || code === 32 || code === 60
}

const prefixes = ['http://', 'https://', 'www.']
const beginsAddress = (start: string): boolean => {
  const folded = start.slice(0, 8).toLowerCase()
  return prefixes.some((prefix) => prefix.startsWith(folded) || folded.startsWith(prefix))
}

/** A bare address that ends before punctuation or text of a script without spaces: `https://a.example（中文）`. */
const address = construct(
  'addressBesideText',
  beginsAddress,
  () => {
    const findEnd = createEndFinder()
    return (run) => findEnd(run, false) !== undefined
  },
  (run, events) => {
    const found = findAddress(run)
    if (found === undefined || isInLabel(events)) return undefined
    const type = /^w/i.test(found) ? 'literalAutolinkWww' : 'literalAutolinkHttp'
    return { length: found.length, types: ['literalAutolink', type] }
  },
  (previous) => !isLike(previous, /[a-z\d/.@-]/i),
)

/** The path of a file on Windows, whose backslashes escape nothing: `C:\.ssh\_new` and `\\server\share`. */
const path = /^(?::\\[\w.$%~@-]|\\\\[\w.-]+\\)[^\s*?"<>|`)\],;'\u3000-\u303f\uff01-\uff65]*/
const endPath = () => (run: string) => /[*?"<>|`)\],;'\u3000-\u303f\uff01-\uff65]$/.test(run.slice(-1))
const findPath = (run: string): Found | undefined => {
  const found = path.exec(run)?.[0]
  return found === undefined ? undefined : { length: found.length, types: ['data'] }
}
const drive = construct(
  'windowsDrive',
  (start) => ':\\'.startsWith(start.slice(0, 2)),
  endPath,
  findPath,
  (previous) => isLike(previous, /[a-z]/i),
)
const share = construct(
  'windowsShare',
  (start) => '\\\\'.startsWith(start.slice(0, 2)),
  endPath,
  findPath,
  (previous) => !isLike(previous, /[\w\\]/),
)

function isLike(code: Code, pattern: RegExp): boolean {
  return code !== null && code > 0 && pattern.test(String.fromCharCode(code))
}

/** Tokens up to which no bracket is open, so that a long text is not searched again for every address. */
const outsideLabels = new WeakSet<Token>()

/** Whether an opening bracket is not closed yet, so that the address could be the text of a link. */
function isInLabel(events: readonly Event[]): boolean {
  const last = events.findLast(
    ([kind, token]) => outsideLabels.has(token) || (kind === 'enter' && isOpenLabel(token)),
  )?.[1]
  if (last !== undefined && !outsideLabels.has(last)) return true
  const end = events.at(-1)?.[1]
  if (end !== undefined) outsideLabels.add(end)
  return false
}

function isOpenLabel({ type, _balanced }: Token): boolean {
  return (type === 'labelLink' || type === 'labelImage') && _balanced !== true
}

export const textConstructs: Extension = {
  text: { 72: address, 87: address, 104: address, 119: address, 58: drive, 92: share },
}
