import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { chromium, expect, test, type Browser, type BrowserContextOptions, type Page } from '@playwright/test'
import { findChromium } from '../scripts/find-chromium.mjs'
import { writeMessage } from './support/chat-page.ts'
import { checkAccessibility, expectNoSidewaysScroll } from './support/page-checks.ts'
import { startProduct, type Product, type ProductOptions } from './support/product.ts'
import { createTestUser, signIn } from './support/users.ts'

/** Every look in which the pages are checked: two widths and two themes. */
const looks = [1280, 390].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ viewport: { width, height: 800 }, colorScheme })),
)

/**
 * Launches a browser in which the names `nas` and `nas.local` resolve to this machine. The only certificate that it trusts is one
 * with the public key `trusted`, the base64 SHA-256 of its SPKI.
 */
async function launchBrowser(trusted?: string): Promise<Browser> {
  const executablePath = findChromium()
  return chromium.launch({
    ...(executablePath === undefined ? {} : { executablePath }),
    args: [
      '--no-sandbox',
      '--host-resolver-rules=MAP nas 127.0.0.1, MAP nas.local 127.0.0.1',
      ...(trusted === undefined ? [] : [`--ignore-certificate-errors-spki-list=${trusted}`]),
    ],
  })
}

async function withProduct(
  options: ProductOptions,
  work: (product: Product) => Promise<void>,
): Promise<void> {
  const product = await startProduct(options)
  try {
    await work(product)
  } finally {
    await product.remove()
  }
}

async function withPage(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const errors: Error[] = []
  page.on('pageerror', (error) => errors.push(error))
  await work(page)
  expect(errors).toEqual([])
  await context.close()
}

/** Stores a screenshot in the folder that the variable PICTURES names, if it is set. */
async function storeScreenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['PICTURES']
  if (folder !== undefined) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}

for (const [name, options, status, title] of [
  ['no PUBLIC_URL', {}, 400, 'Yonder has another address'],
  ['PUBLIC_URL=http://nas', { publicOrigin: 'http://nas' }, 403, 'Yonder needs https here'],
] as const) {
  test(`http://nas with ${name} explains how to get TLS, without a script`, async () => {
    const browser = await launchBrowser()
    await withProduct(options, async (product) => {
      const { port } = new URL(product.url)
      for (const look of looks)
        await withPage(browser, look, async (page) => {
          const requests: string[] = []
          page.on('request', (request) => requests.push(request.url()))
          const response = await page.goto(`http://nas:${port}/chat/abc`)
          expect(response?.status()).toBe(status)
          await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
          await checkAccessibility(page)
          await expectNoSidewaysScroll(page)
          expect(requests).toEqual([`http://nas:${port}/chat/abc`])
          await storeScreenshot(page, `address-${status}-${look.viewport.width}-${look.colorScheme}`)
        })
      await withPage(browser, { javaScriptEnabled: false }, async (page) => {
        await page.goto(`http://nas:${port}/`)
        // The keyboard reaches the links, in order, with a visible focus.
        await page.keyboard.press('Tab')
        await expect(page.getByRole('link', { name: 'Address, TLS and proxies' })).toBeFocused()
        await expect(page.getByRole('link', { name: 'Address, TLS and proxies' })).toHaveCSS(
          'outline-style',
          'solid',
        )
        await page.keyboard.press('Tab')
        await expect(page.getByRole('link', { name: 'http://localhost:3000' })).toBeFocused()
      })
      await withPage(browser, {}, async (page) => {
        await page.goto(`http://nas:${port}/`)
        await page.getByText('yonder start --tls').click()
        expect(await page.evaluate(() => getSelection()?.toString())).toBe(
          'yonder start --tls --host 0.0.0.0',
        )
        // Whatever a visitor may use without signing in is served as before.
        if (status === 403) {
          await page.goto(`http://nas:${port}/share/demo`)
          await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(title)
        }
      })
    })
    await browser.close()
  })
}

test.describe('TLS=local', () => {
  const options: ProductOptions = { settings: { TLS: 'local' }, publicOrigin: 'https://nas.local' }

  test('serves https with a certificate that its authority makes trusted, from the first visit to a streamed reply', async () => {
    test.slow()
    await withProduct(options, async (product) => {
      const { port } = new URL(product.url)
      const url = `https://nas.local:${port}`
      const authorityPath = join(product.dataDir, 'tls/ca.crt')
      const authority = readFileSync(authorityPath, 'utf8')
      expect(product.output()).toContain(new X509Certificate(authority).fingerprint256)
      const download = await fetch(`http://127.0.0.1:${port}/ca.crt`)
      expect(await download.text()).toBe(authority)

      // Node checks the whole chain and the name; nothing but the authority is trusted.
      const socket = connect({
        port: Number(port),
        host: '127.0.0.1',
        servername: 'nas.local',
        ca: authority,
      })
      await once(socket, 'secureConnect')
      expect(socket.authorized).toBe(true)
      const leaf = socket.getPeerX509Certificate()
      socket.destroy()
      const spki = leaf?.publicKey.export({ type: 'spki', format: 'der' }) ?? Buffer.alloc(0)
      const trusted = createHash('sha256').update(spki).digest('base64')

      const stranger = await launchBrowser()
      await withPage(stranger, {}, async (page) => {
        await expect(page.goto(`http://nas.local:${port}/`)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID')
      })
      await stranger.close()

      const browser = await launchBrowser(trusted)
      for (const look of looks)
        await withPage(browser, look, async (page) => {
          await page.goto(`http://nas.local:${port}/`)
          expect(page.url()).toBe(`${url}/`)
          await expect(page.getByRole('region', { name: 'Create the first account' })).toBeVisible()
          await storeScreenshot(page, `set-up-${look.viewport.width}-${look.colorScheme}`)
        })
      await withPage(browser, { baseURL: url }, async (page) => {
        const response = await page.goto(`https://localhost:${port}/settings/bots`)
        expect(page.url()).toBe(`${url}/settings/bots`)
        expect(response?.headers()['strict-transport-security']).toBeUndefined()
        expect(await page.evaluate(() => isSecureContext)).toBe(true)
        const user = createTestUser()
        const link = /Create the first account at (\S+)/.exec(product.output())?.[1] ?? ''
        expect(link).toContain(`${url}/oidc/set-up?token=`)
        await page.goto(link)
        await page.getByLabel('Name').fill(user.name)
        await page.getByLabel('E-mail').fill(user.email)
        await page.getByLabel('Password').fill(user.password)
        await page.getByRole('button', { name: 'Create account' }).click()
        await page.getByRole('link', { name: 'Go to Yonder' }).click()
        await expect(page.getByRole('button', { name: 'Sign in with a local account' })).toBeVisible()
        await expect(page.getByRole('region', { name: 'Create the first account' })).toBeHidden()
        await signIn(page, user)
        await writeMessage(page, 'code')
        await expect(page.locator('pre').first()).toBeVisible()
      })
      await browser.close()
    })
  })

  test('is trusted by a Chromium that has its authority in the store of the system, and by no other name', async () => {
    test.skip(!hasCertutil(), 'certutil of libnss3-tools is not installed')
    await withProduct(options, async (product) => {
      const { port } = new URL(product.url)
      const url = `https://nas.local:${port}`
      const home = mkdtempSync(join(tmpdir(), 'yonder-home-'))
      const store = `sql:${join(home, '.pki/nssdb')}`
      execFileSync('mkdir', ['-p', join(home, '.pki/nssdb')])
      execFileSync('certutil', ['-N', '-d', store, '--empty-password'])
      const path = join(product.dataDir, 'tls/ca.crt')
      execFileSync('certutil', ['-A', '-d', store, '-n', 'Yonder', '-t', 'C,,', '-i', path])
      const executablePath = findChromium()
      const browser = await chromium.launch({
        ...(executablePath === undefined ? {} : { executablePath }),
        env: { ...process.env, HOME: home },
        args: ['--no-sandbox', '--host-resolver-rules=MAP nas.local 127.0.0.1, MAP other 127.0.0.1'],
      })
      await withPage(browser, {}, async (page) => {
        await page.goto(url)
        await expect(page.getByRole('heading', { name: 'Yonder' })).toBeVisible()
        await expect(page.goto(`https://other:${port}/`)).rejects.toThrow('ERR_CERT_COMMON_NAME_INVALID')
      })
      await browser.close()
      rmSync(home, { recursive: true })
    })
  })
})

function hasCertutil(): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => existsSync(join(folder, 'certutil')))
}

test.describe('a closed installation without an account', () => {
  test('says where the set-up link is until the first account exists, and never shows it', async ({
    browser,
  }) => {
    test.slow()
    await withProduct({ settings: { SIGN_UP: 'closed' } }, async (product) => {
      const token = /token=(\S+)/.exec(product.output())?.[1] ?? 'none'
      for (const look of looks)
        await withPage(browser, look, async (page) => {
          // The theme is that of the app and not of the system, whose default is light.
          await page.addInitScript((theme) => localStorage.setItem('theme', theme), look.colorScheme)
          await page.goto(product.url)
          const notice = page.getByRole('region', { name: 'Create the first account' })
          await expect(notice).toContainText('docker compose logs')
          await expect(notice).toContainText('journalctl -u yonder')
          await checkAccessibility(page)
          await expectNoSidewaysScroll(page)
          await storeScreenshot(page, `first-visit-${look.viewport.width}-${look.colorScheme}`)
          await page.keyboard.press('Tab')
          await expect(page.getByRole('button', { name: 'Sign in with a local account' })).toBeFocused()
          await page.keyboard.press('Enter')
          await expect(page.getByText('The set-up link in the log of the server')).toBeVisible()
          await checkAccessibility(page)
          expect(await page.content()).not.toContain(token)
          await storeScreenshot(page, `first-sign-in-${look.viewport.width}-${look.colorScheme}`)
        })
    })
  })
})
