import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Page, expect } from '@playwright/test'
import type Axe from 'axe-core'

const axeScript = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Expects that axe finds no violation on the page, and that screen readers can announce what appears on it. */
export async function checkAccessibility(page: Page): Promise<void> {
  // Elements have less contrast while they fade in. Endless animations are ignored.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity),
  )
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript)
  // All rules on the whole document, which has no frames. Only the violations are returned from the page.
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { readonly axe: typeof Axe }
    return (await axe.run(document, { resultTypes: ['violations'] })).violations
  })
  const findings = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ target, failureSummary }) => `  ${target.join(' ')}\n  ${failureSummary}`).join('\n')}`,
  )
  expect(findings, 'violations that axe found').toStrictEqual([])
  await expectLiveRegions(page)
}

/** Expects that no empty status is hidden: a region that appears together with its text may not be announced. */
async function expectLiveRegions(page: Page): Promise<void> {
  const hidden = await page.evaluate(() =>
    [...document.querySelectorAll('output, [role="status"]')]
      .filter((region) => region.textContent === '' && getComputedStyle(region).display === 'none')
      .map(({ outerHTML }) => outerHTML),
  )
  expect(hidden, 'empty live regions that are hidden').toStrictEqual([])
}

/** Expects that the page is not wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}

/** Dismisses all toasts, because axe reports their low contrast while they fade in. */
export async function dismissToasts(page: Page): Promise<void> {
  const buttons = page.getByRole('button', { name: 'Dismiss' })
  // A toast may disappear just before it is clicked.
  await expect(async () => {
    while ((await buttons.count()) > 0) await buttons.first().click({ timeout: 1000 })
  }).toPass()
  // The pointer must not hover the element below the toasts.
  await page.mouse.move(0, 0)
}

/** Records the bodies of all later responses to `path`, in order. */
export async function recordResponses(page: Page, path: string): Promise<readonly string[]> {
  const bodies: string[] = []
  // The body is read before the page gets it, because the browser drops it when the page navigates.
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch()
    bodies.push(await response.text())
    await route.fulfill({ response })
  })
  return bodies
}
