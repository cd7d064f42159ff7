import { cleanText } from '../../../lib/text.ts'

/** What stands at the end of a text that was cut. */
const cutNote = '\n[The text was cut here.]'

/** Collects the text of a document up to a number of UTF-16 units, and counts the lines of what comes after, too. */
export class LimitedText {
  readonly #parts: string[] = []
  readonly #maxChars: number
  #pieces: string[] = []
  #chars = 0
  #lineFeeds = 0
  #isCut = false

  constructor(maxChars: number) {
    this.#maxChars = maxChars
  }

  /** Whether further text is left out. */
  get isFull(): boolean {
    return this.#isCut
  }

  /** How many lines were added, those that were left out included. */
  get lines(): number {
    return this.#lineFeeds + 1
  }

  get parts(): readonly string[] {
    return this.#parts
  }

  add(text: string): void {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lineFeeds += 1
    if (this.#isCut || text === '') return
    const room = this.#maxChars - this.#chars
    this.#pieces.push(text.length <= room ? text : text.slice(0, room))
    this.#chars += Math.min(text.length, room)
    this.#isCut = text.length > room
  }

  /** Ends a page, a slide, a sheet or the whole text. Removes spaces at its ends and what a reader could not see. */
  endPart(): void {
    // Half of a surrogate pair at the place of the cut is removed with the pair.
    const text = this.#pieces.join('').replace(/[\ud800-\udbff]$/, '')
    this.#pieces = []
    this.#parts.push(cleanText(text.replaceAll(/\r\n?/g, '\n')).trim() + (this.#isCut ? cutNote : ''))
  }
}
