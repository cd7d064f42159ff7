import type { Page } from '@playwright/test'
import { input, sendButton, writeMessage } from './support/chat-page.ts'
import { expect, looks, setLook, test } from './support/fixtures.ts'
import { expectNoSidewaysScroll } from './support/page-checks.ts'
import { photoFile, pngFile, textFile } from './support/test-files.ts'
import { signIn } from './support/users.ts'

const attached = (page: Page) => page.getByRole('list', { name: 'Attached files' })
const own = (page: Page) => page.getByRole('article', { name: 'You' })
const files = (page: Page) => own(page).last().getByRole('list', { name: 'Files' })
/** Chooses files for the new message. */
async function attach(page: Page, chosen: ReturnType<typeof textFile>[]): Promise<void> {
  await page.locator('input[type=file]').last().setInputFiles(chosen)
}
const roof = pngFile('roof.png', 640, 480, [140, 100, 70])
const garden = pngFile('garden.png', 480, 640, [60, 130, 80])

for (const { look, viewport, colorScheme } of looks)
  test(`files are uploaded while the message is written, and shown in it: ${look}`, async ({
    page,
    user: _,
    axe,
  }) => {
    await setLook(page, { viewport, colorScheme })
    await attach(page, [roof, garden, textFile('Offer.txt', 40)])
    await expect(attached(page).getByRole('button', { name: /^Offer\.txt As text/ })).toBeVisible()
    await expect(page.getByText(/cannot see pictures\. It only gets their names\./)).toBeVisible()
    await expectNoSidewaysScroll(page)
    await axe(page)
    await writeMessage(page, 'Which roof fits?')
    await expect(sendButton(page)).toBeVisible()
    for (const reload of [false, true]) {
      if (reload) await page.reload()
      for (const name of ['roof.png', 'garden.png']) {
        const picture = files(page).getByRole('img', { name })
        await expect(picture).toBeVisible()
        expect(
          await picture.evaluate((one: HTMLImageElement) => one.decode().then(() => one.naturalWidth)),
        ).toBeGreaterThan(0)
      }
      await expect(files(page)).toContainText('Offer.txt')
    }
    await expectNoSidewaysScroll(page)
    await axe(page)

    await files(page).getByRole('button', { name: 'roof.png' }).click()
    const viewer = page.getByRole('dialog', { name: 'roof.png' })
    await expect(viewer.getByRole('img', { name: 'roof.png' })).toBeVisible()
    await axe(page)
    await page.keyboard.press('ArrowRight')
    await expect(page.getByRole('dialog', { name: 'garden.png' })).toContainText('2 of 2')
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(files(page).getByRole('button', { name: 'roof.png' })).toBeFocused()
    const download = page.waitForEvent('download')
    await files(page).getByRole('button', { name: 'Download Offer.txt' }).click()
    expect((await download).suggestedFilename()).toBe('Offer.txt')
  })

test('a photo is turned upright and made smaller, and leaves the place where it was taken at home', async ({
  page,
  user: _,
}) => {
  const photo = await photoFile(page, 'IMG_0001.JPG', 3000, 2000)
  expect(photo.buffer.includes('48.8584 N')).toBe(true)
  // What leaves the browser, which Playwright does not show of an upload.
  await page.evaluate(() => {
    const send = XMLHttpRequest.prototype.send
    XMLHttpRequest.prototype.send = function (body) {
      Object.assign(window, { sent: (body as Blob).text() })
      send.call(this, body)
    }
  })
  await attach(page, [photo])
  await expect(attached(page).getByRole('button', { name: /^IMG_0001\.JPG, \d/ })).toBeVisible()
  const sent = await page.evaluate(() => (window as unknown as { sent: Promise<string> }).sent)
  expect(sent).toContain('JFIF')
  expect(sent).not.toContain('48.8584 N')
  expect(sent).not.toContain('Exif')
  await writeMessage(page, 'Where is this?')
  const picture = files(page).getByRole('img', { name: 'IMG_0001.JPG' })
  await expect(picture).toBeVisible()
  const size = await picture.evaluate(async (one: HTMLImageElement) => {
    await one.decode()
    return [one.naturalWidth, one.naturalHeight]
  })
  expect(size).toEqual([1365, 2048])
})

test('a draft with its files survives a reload, also one in the middle of an upload, and another tab has it', async ({
  page,
  context,
  user: _,
}) => {
  await attach(page, [roof])
  await expect(attached(page).getByRole('img')).toHaveCount(0)
  await input(page).fill('Look at')
  let isHeld = true
  await page.route('**/api/files?name=**', async (route) => {
    // Never answered, as in a train that is in a tunnel.
    if (!isHeld) await route.continue()
  })
  await attach(page, [garden, textFile('Offer.txt', 40)])
  await expect(attached(page).getByRole('button', { name: /^Offer\.txt (Uploading|Storing)/ })).toBeVisible()
  isHeld = false
  await page.reload()
  await expect(attached(page).getByRole('button', { name: /^garden\.png, \d/ })).toBeVisible()
  await expect(attached(page).getByRole('button', { name: /^Offer\.txt As text/ })).toBeVisible()
  await expect(attached(page).getByRole('button', { name: /^roof\.png/ })).toBeVisible()
  await expect(input(page)).toHaveValue('Look at')

  const tab = await context.newPage()
  await tab.goto('/')
  await expect(attached(tab).getByRole('button', { name: /^Offer\.txt As text/ })).toBeVisible()
  await input(page).press('Enter')
  await expect(files(page)).toContainText('Offer.txt')
  await expect(own(page)).toContainText('Look at')
})

test('sending waits for the uploads, and a file that is refused keeps the message unsent', async ({
  page,
  user: _,
  problems,
}) => {
  problems.expect(/415|Error uploading/)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/files?name=**', async (route) => {
    await held.promise
    await route.continue()
  })
  const video = { name: 'Visit.mov', mimeType: 'video/quicktime', buffer: movie() }
  await attach(page, [textFile('Offer.txt', 40), video])
  await input(page).fill('Compare')
  await input(page).press('Enter')
  await expect(page.getByText('Waiting for 2 files')).toBeVisible()
  held.resolve()
  await expect(
    page.getByRole('alert').getByText(/^Not sent: “Visit\.mov” could not be uploaded/),
  ).toBeVisible()
  await expect(attached(page).getByRole('button', { name: /^Visit\.mov This is a video/ })).toBeVisible()
  await page.getByRole('button', { name: 'Remove Visit.mov' }).click()
  await input(page).press('Enter')
  await expect(files(page)).toContainText('Offer.txt')
  await expect(own(page)).toContainText('Compare')
})

/** The beginning of a QuickTime film. */
function movie(): Buffer {
  const bytes = Buffer.alloc(4096)
  bytes.writeUInt32BE(20, 0)
  bytes.write('ftypqt  ', 4, 'latin1')
  return bytes
}

test('files are dropped anywhere on the page, and a long text that is pasted becomes one', async ({
  page,
  user: _,
}) => {
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['# A note'], 'Note.md'))
    const fire = (type: string) =>
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
    fire('dragenter')
    Object.assign(window, { drop: () => fire('drop') })
  })
  await expect(page.getByText('Drop to attach')).toBeVisible()
  await expect(page.getByText(/^Up to 10 files of \d.* pictures, PDF, Office, text, code$/)).toBeVisible()
  await page.evaluate(() => (window as unknown as { drop: () => void }).drop())
  await expect(page.getByText('Drop to attach')).toBeHidden()
  await expect(attached(page).getByRole('button', { name: /^Note\.md As text/ })).toBeVisible()

  const text = Array.from({ length: 312 }, (_, index) => `entry ${index + 1} of the log`).join('\n')
  await input(page).fill('Why is  slow?')
  await input(page).evaluate((area: HTMLTextAreaElement) => area.setSelectionRange(7, 7))
  await input(page).evaluate((area, pasted) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', pasted)
    area.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, text)
  await expect(attached(page).getByRole('button', { name: /^Pasted text\.txt As text/ })).toBeVisible()
  await expect(page.getByText('Pasted text, 312 lines')).toBeVisible()
  await expect(input(page)).toHaveValue('Why is  slow?')
  await page.getByRole('button', { name: 'Put into the message' }).click()
  await expect(input(page)).toHaveValue(`Why is ${text} slow?`)
  await expect(attached(page).getByRole('listitem')).toHaveCount(1)
})

test('a print has the pictures that are far from the window', async ({ page, user: _ }) => {
  await page.addInitScript(() => {
    window.print = () => {
      const pictures = Array.from(document.querySelectorAll<HTMLImageElement>('article img'))
      document.body.dataset['printed'] = String(pictures.filter((one) => one.naturalWidth > 0).length)
      dispatchEvent(new Event('afterprint'))
    }
  })
  await attach(page, [roof, garden])
  for (let round = 0; round < 5; round++) {
    await writeMessage(page, 'A line.\n'.repeat(200))
    await expect(page.getByRole('article')).toHaveCount(2 * round + 2)
    await expect(sendButton(page)).toBeVisible()
  }
  await page.reload()
  await expect(page.getByRole('article').last()).toBeInViewport()
  await expect(own(page).first().getByRole('list', { name: 'Files' })).toBeAttached()
  await expect(own(page).first().getByRole('img')).toHaveCount(0)
  // The keys of the browser print without this page when the pictures are there already.
  await page.getByRole('button', { name: 'Print' }).click()
  await expect(page.locator('body')).toHaveAttribute('data-printed', '2')
})

test('an edited message keeps its files and takes more', async ({ page, user: _ }) => {
  await attach(page, [textFile('Offer.txt', 40)])
  await expect(attached(page).getByRole('button', { name: /As text/ })).toBeVisible()
  await writeMessage(page, 'First')
  await expect(sendButton(page)).toBeVisible()
  await own(page).hover()
  await own(page).getByRole('button', { name: 'Edit message' }).click()
  const chooser = page.waitForEvent('filechooser')
  await own(page).getByRole('button', { name: 'Add files' }).click()
  await (await chooser).setFiles([textFile('Second offer.txt', 20)])
  await own(page).getByRole('textbox', { name: 'Message' }).press('Enter')
  await expect(files(page)).toContainText('Second offer.txt')
  await expect(files(page)).toContainText('Offer.txt')
  await expect(own(page).getByText('2/2')).toBeVisible()
  await own(page).hover()
  await own(page).getByRole('button', { name: 'Previous version' }).click()
  await expect(files(page)).not.toContainText('Second offer.txt')
})

test('files are chosen, renamed, described and removed with the keyboard', async ({ page, user: _ }) => {
  const chooser = page.waitForEvent('filechooser')
  await input(page).focus()
  await page.keyboard.press('Control+u')
  await (await chooser).setFiles([roof, textFile('Offer.txt', 40)])
  await expect(attached(page).getByRole('button', { name: /As text/ })).toBeVisible()
  await attached(page)
    .getByRole('button', { name: /^roof\.png/ })
    .focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Attached picture' })
  await dialog.getByLabel('Name').fill('Our roof.png')
  await dialog.getByLabel('Description').fill('A roof of red tiles')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(attached(page).getByRole('button', { name: /^Our roof\.png/ })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Delete')
  await expect(attached(page).getByRole('listitem')).toHaveCount(1)
  await writeMessage(page, 'Is it damaged?')
  await expect(files(page).getByRole('img', { name: 'A roof of red tiles' })).toBeVisible()
})

test('a draft with its files is there again after signing out and in, and nothing of it stays meanwhile', async ({
  page,
  user,
}) => {
  await input(page).fill('What do they offer?')
  await attach(page, [textFile('Offer.txt', 40)])
  await expect(attached(page).getByRole('button', { name: /^Offer\.txt As text/ })).toBeVisible()
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toMatch(/offer/i)
  await signIn(page, user)
  await expect(input(page)).toHaveValue('What do they offer?')
  await expect(attached(page).getByRole('button', { name: /^Offer\.txt As text/ })).toBeVisible()
})

test('signing out removes the files of a draft from the browser', async ({ page, user: _ }) => {
  await page.route('**/api/files?name=**', () => undefined)
  await attach(page, [textFile('Secret.txt', 40)])
  await expect(attached(page).getByRole('button', { name: /^Secret\.txt (Uploading|Storing)/ })).toBeVisible()
  const databases = () => page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name))
  await expect.poll(databases).toContain('yonder_files')
  await page.getByRole('button', { name: 'Account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await expect(page.getByText('Sign in to access your chats')).toBeVisible()
  await expect.poll(databases).not.toContain('yonder_files')
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('Secret.txt')
})

test('a shared chat shows the names of its files, and the files when the owner lets them go along', async ({
  page,
  context,
  openBrowser,
  user: _,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await attach(page, [roof, textFile('Offer.txt', 40)])
  await expect(attached(page).getByRole('button', { name: /As text/ })).toBeVisible()
  await writeMessage(page, 'Which roof fits?')
  await expect(sendButton(page)).toBeVisible()
  const reply = page.getByRole('article').last()
  await reply.hover()
  await reply.getByRole('button', { name: 'Share' }).click()
  const offer = page.getByRole('button', { name: 'Share the files too' })
  await expect(offer).toBeVisible()
  const visitor = await (await openBrowser()).newPage()
  await visitor.goto(await page.evaluate(() => navigator.clipboard.readText()))
  await expect(files(visitor)).toContainText('roof.png')
  await expect(files(visitor)).toContainText('not shared')
  await expect(files(visitor).getByRole('img')).toHaveCount(0)
  await offer.click()
  await expect(page.getByText('Visitors of the link see its files now')).toBeVisible()
  await visitor.reload()
  await expect(files(visitor).getByRole('img', { name: 'roof.png' })).toBeVisible()
  const download = visitor.waitForEvent('download')
  await files(visitor).getByRole('button', { name: 'Download Offer.txt' }).click()
  expect((await download).suggestedFilename()).toBe('Offer.txt')
  await page.goto('/settings/general')
  await page.getByRole('button', { name: 'Withhold files' }).click()
  await expect(page.getByText('Visitors of the link see only the names')).toBeVisible()
  await visitor.reload()
  await expect(files(visitor)).toContainText('not shared')
})
