import { endZone, restOfPage } from '../list/page-end.ts'

/** The part of the window's height within which a round must have begun to be the current one. */
const readingLine = 0.35

/** Which of the rounds a reader looks at, as its place in `rounds`. Only what is drawn has a place in the window. */
export function findCurrentRound(rounds: readonly { readonly id: string }[]): number {
  // At the end of the page the last round may not reach the line.
  if (restOfPage() <= endZone) return rounds.length - 1
  const drawn = [...document.querySelectorAll<HTMLElement>('[data-round]')]
  const line = window.innerHeight * readingLine
  const passed = drawn.findLast((element) => element.getBoundingClientRect().top <= line)
  const known = passed ?? drawn[0]
  const index = rounds.findIndex(({ id }) => id === known?.dataset['round'])
  return Math.max(0, passed === undefined ? index - 1 : index)
}
