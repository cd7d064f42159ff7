import { expect, test } from './support/fixtures.ts'

/**
 * The files of every page, and those of a screen that is loaded later. `reload` is the number of the navigation after
 * which the files are there again: the page that the reload opens has the names of the new ones.
 */
const cases = [
  { what: 'page', address: '**/assets/*.js', reload: 2 },
  { what: 'screen', address: '**/assets/bots-settings-*.js', reload: 1 },
]

for (const { what, address, reload } of cases)
  test(`a ${what} whose files a newer version has replaced is loaded again`, async ({
    page,
    user: _,
    problems,
  }) => {
    problems.expect(/404|Failed to load|dynamically imported/)
    await page.goto('/settings/general')
    let navigations = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest()) navigations += 1
    })
    await page.route(address, (route) =>
      navigations < reload ? route.fulfill({ status: 404 }) : route.continue(),
    )
    if (what === 'page') await page.goto('/settings/bots')
    else await page.getByRole('link', { name: 'Bots' }).click()
    await expect(page.getByRole('button', { name: 'Add Bot' })).toBeVisible()
    expect(navigations).toBe(reload)
  })
