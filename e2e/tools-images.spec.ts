import { expect, looks, setLook } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { addConnector, block, callTool, lastTurn, line, send, test } from './support/tools-fixtures.ts'

const title = 'Get Tiny Image Tool'

for (const { look, viewport, colorScheme } of looks)
  test(`an image that a tool returns is shown without opening the call: ${look}`, async ({
    page,
    model,
    axe,
    everything,
  }) => {
    await setLook(page, { viewport, colorScheme })
    await addConnector(page, { name: 'everything', url: everything.url })
    await page.goto('/')
    model.reply([callTool('everything__get-tiny-image')])
    model.reply(['There it is.'])
    await send(page, 'Show me')
    await expect(lastTurn(page)).toContainText('There it is.')
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      await expect(line(page, title)).toHaveAttribute('aria-expanded', 'false')
      const image = block(page, title).getByRole('img', { name: `Image from ${title}` })
      await expect(image).toBeVisible()
      expect(
        await image.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)),
      ).toBeGreaterThan(0)
    }
    await axe(page)
    await expectNoSidewaysScroll(page)
  })

test('an image of a result that cannot be loaded says so, and the user tries again', async ({
  page,
  model,
  everything,
  problems,
}) => {
  problems.expect(/ERR_FAILED|Failed to fetch/)
  await addConnector(page, { name: 'everything', url: everything.url })
  const images = /\/api\/files\//
  await page.route(images, (route) => route.abort())
  model.reply([callTool('everything__get-tiny-image')])
  model.reply(['There it is.'])
  await send(page, 'Show me')
  await expect(block(page, title)).toContainText(`Image from ${title} could not be loaded.`)
  await page.unroute(images)
  await block(page, title).getByRole('button', { name: 'Try again' }).click()
  await expect(block(page, title).getByRole('img')).toBeVisible()
  await expect(block(page, title)).not.toContainText('could not be loaded')
})

test('an image of a reply that cannot be loaded says so, and the user tries again', async ({
  page,
  model,
  problems,
}) => {
  problems.expect(/ERR_FAILED/)
  const address = 'https://pictures.example/cat.svg'
  await page.route(address, (route) => route.abort())
  model.reply([`![A cat](${address})`])
  await send(page, 'Show me')
  await page.getByRole('button', { name: 'Show image' }).click()
  await expect(lastTurn(page)).toContainText('A cat could not be loaded from pictures.example')
  await page.unroute(address)
  const body = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
  await page.route(address, (route) => route.fulfill({ contentType: 'image/svg+xml', body }))
  await lastTurn(page).getByRole('button', { name: 'Try again' }).click()
  await expect(lastTurn(page).getByRole('img', { name: 'A cat' })).toBeVisible()
})
