import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { AppError } from '../../lib/app-error.ts'
import { html, raw, type Markup } from './html.ts'
import { pageScript, pageStyle, themeScript } from './page-assets.ts'

export interface Page {
  readonly title: string
  /** The text under the title. */
  readonly text: string | Markup
  readonly body: Markup
  /** Runs after the script that all pages have. */
  readonly script?: string
}

export interface RenderedPage {
  readonly document: string
  /** The content security policy: only the styles and scripts of this page, and images and forms of this origin. */
  readonly policy: string
}

/** Renders a page of the provider: the logo, a title, a text and a body. It loads no other resources than its icon. */
export function renderPage({ title, text, body, script = '' }: Page): RenderedPage {
  const code = pageScript + script
  const markup = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#fbfaf9" />
        <title>${title} · Yonder</title>
        <link rel="icon" type="image/svg+xml" href="/icon-light.svg" />
        ${element('script', themeScript)} ${element('style', pageStyle)}
      </head>
      <body>
        <main>
          <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
            <circle cx="16" cy="16" r="16" />
            <path d="M9.5 8.5 16 17.2l6.5-8.7M16 17.2v7.3" />
          </svg>
          <h1>${title}</h1>
          <p class="sentence">${text}</p>
          ${body}
        </main>
        ${element('script', code)}
      </body>
    </html>`
  // Only these texts are hashed, and not what the document contains, so that injected markup would not be allowed.
  const policy = [
    "default-src 'none'",
    `style-src '${hash(pageStyle)}'`,
    `script-src '${hash(themeScript)}' '${hash(code)}'`,
    "img-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { document: markup.text, policy }
}

function element(name: 'script' | 'style', text: string): Markup {
  return raw(`<${name}>${text}</${name}>`)
}

function hash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

export function sendPage(reply: FastifyReply, page: Page, status = 200): FastifyReply {
  const { document, policy } = renderPage(page)
  return reply
    .status(status)
    .header('content-security-policy', policy)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(document)
}

/** The link of a notice after which the user can go on. */
export const toYonder = { text: 'Go to Yonder', href: '/' }

/** A page that explains what happened and has one link to continue. */
export function noticePage(title: string, text: string, link = { text: 'Back to Yonder', href: '/' }): Page {
  return { title, text, body: html`<a class="button" href="${link.href}">${link.text}</a>` }
}

/** Ends a request with this page in place of the one that was requested. */
export class PageError extends Error {
  readonly page: Page
  readonly statusCode: number

  constructor(page: Page, statusCode: number) {
    super(page.title)
    this.page = page
    this.statusCode = statusCode
  }
}

/** The page for a request that the server cannot execute now, for example because of the database. */
export function failurePage({ code, message }: AppError): Page {
  return noticePage(code === 'unavailable' ? 'Not available at the moment' : 'Something went wrong', message)
}
