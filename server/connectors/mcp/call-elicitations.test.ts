import { UrlElicitationRequiredError } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { SentAnswer } from '../calls/elicitation-form.ts'
import { connectorLimits } from '../connector-limits.ts'
import { CallElicitations } from './call-elicitations.ts'

const page = { mode: 'url', elicitationId: 'page', url: 'http://pay.example/' }

let isRunning: boolean
/** Answers the elicitation that is shown. */
let answer: (answer: SentAnswer | undefined) => void
let shownCount: number
let elicitations: CallElicitations

beforeEach(() => {
  isRunning = true
  shownCount = 0
  elicitations = new CallElicitations(
    {
      onElicit: () => {
        shownCount += 1
        return new Promise((resolve) => (answer = resolve))
      },
      clock: {
        signal: new AbortController().signal,
        pause: () => (isRunning = false),
        resume: () => (isRunning = true),
      },
    },
    connectorLimits,
  )
})
afterEach(() => elicitations.end())

/** Shows an elicitation, and returns the promise of its end. */
async function show(params: unknown): Promise<{ readonly ended: Promise<unknown> }> {
  const shownBefore = shownCount
  const ended = elicitations.handle(params)
  await expect.poll(() => shownCount).toBe(shownBefore + 1)
  return { ended }
}

async function openPage(): Promise<void> {
  const { ended } = await show(page)
  answer({ action: 'accept' })
  await ended
}

it('does not count the time on a page when a form is answered meanwhile', async () => {
  await openPage()
  const { ended } = await show({ mode: 'form' })
  answer({ action: 'accept' })
  await ended
  expect(isRunning).toBe(false)
  elicitations.finishPage('page')
  expect(isRunning).toBe(true)
})

it('does not count the time at a form when a page is finished meanwhile', async () => {
  await openPage()
  const { ended } = await show({ mode: 'form' })
  elicitations.finishPage('page')
  expect(isRunning).toBe(false)
  answer({ action: 'accept' })
  await ended
  expect(isRunning).toBe(true)
})

it('says that the server named no page, instead of that the user opened none', async () => {
  await expect(elicitations.openPages(new UrlElicitationRequiredError([]))).rejects.toMatchObject({
    code: 'upstream_error',
    message: 'The server asked the user to open a page and named none.',
  })
})
