import type { Page } from '@playwright/test'

interface WithTimeouts {
  heldTimeouts: { readonly ms: number; readonly expire: () => void }[]
}

/** Holds every `AbortSignal.timeout` of the documents that `page` loads next, until the test expires it. */
export async function holdTimeouts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const held: WithTimeouts['heldTimeouts'] = []
    Object.assign(window, { heldTimeouts: held })
    AbortSignal.timeout = (ms) => {
      const controller = new AbortController()
      const expire = () => controller.abort(new DOMException('The time is over.', 'TimeoutError'))
      held.push({ ms, expire })
      return controller.signal
    }
  })
}

/** Waits until the page has set a timeout of exactly this length, and then expires all timeouts of this length. */
export async function expireTimeouts(page: Page, ms: number): Promise<void> {
  await page.waitForFunction((ms) => {
    const held = (window as unknown as WithTimeouts).heldTimeouts.filter((one) => one.ms === ms)
    for (const { expire } of held) expire()
    return held.length > 0
  }, ms)
}
