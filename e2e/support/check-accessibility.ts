import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect } from '@playwright/test'

/** Expects that axe has nothing to say against the page as it stands. */
export async function checkAccessibility(page: Page): Promise<void> {
  // What fades in has half its contrast on the way. Endless animations are not waited for.
  await page.waitForFunction(() =>
    document
      .getAnimations()
      .every((one) => one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity),
  )
  // The product has no frames, so the page alone is analysed; otherwise axe opens a second page for each analysis.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const findings = violations.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}\n${nodes.map(({ target, failureSummary }) => `  ${target.join(' ')}\n  ${failureSummary}`).join('\n')}`,
  )
  expect(findings, 'what axe found').toStrictEqual([])
}
