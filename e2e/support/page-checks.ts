import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from '@playwright/test'

/** The script of axe, in the release that the builder uses. */
const axeScript = readFileSync(
  createRequire(createRequire(import.meta.url).resolve('@axe-core/playwright')).resolve(
    'axe-core/axe.min.js',
  ),
  'utf8',
)

/** Expects that axe finds no violation on the page. */
export async function checkAccessibility(page: Page): Promise<void> {
  // Elements have less contrast while they fade in. Endless animations are ignored.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity),
  )
  // The builder would send more than a megabyte twice for each analysis.
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeScript)
  // The product has no frames, so only the page is analysed; otherwise axe opens a second page for each analysis.
  const { violations } = await new AxeBuilder({ page, axeSource: 'void 0' })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .analyze()
  const findings = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ target, failureSummary }) => `  ${target.join(' ')}\n  ${failureSummary}`).join('\n')}`,
  )
  expect(findings, 'violations that axe found').toStrictEqual([])
}

/** Expects that the page is not wider than its window. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
}

/** Dismisses all toasts, because axe reports their low contrast while they fade in. */
export async function dismissToasts(page: Page): Promise<void> {
  const messages = page.getByRole('button', { name: 'Dismiss' })
  // A toast may disappear just before it is clicked.
  await expect(async () => {
    while ((await messages.count()) > 0) await messages.first().click({ timeout: 1000 })
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
