import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

/**
 * A page for a visitor who opened an address where signing in is impossible. It is the same on every installation, so
 * that it reveals nothing about this one, and it needs no script and loads nothing.
 */
interface AddressPage {
  readonly title: string
  readonly text: string
}

export const wrongAddressPage: AddressPage = {
  title: 'Yonder has another address',
  text: 'You have reached the server of Yonder, but not at the address that it is set up for. If someone else runs it, ask them for its address. If you run it, use the address that it prints when it starts, or reach it in one of these ways.',
}

export const plainHttpPage: AddressPage = {
  title: 'Yonder needs https here',
  text: 'Signing in needs a secure address: browsers offer the necessary cryptography only with https, and on localhost. This address is plain http. If someone else runs this server, ask them for its address. If you run it, reach it in one of these ways.',
}

const docsUrl = 'https://github.com/yonder-chat/yonder/blob/main/docs/operations/tls.md'

/** It repeats values of `web/ui/tokens.css`, because the page loads nothing. */
const style = `
:root {
  color-scheme: light dark;
  --page: #fbfaf9; --surface: #ffffff; --ink: #1c1b1a; --muted: #6b6864; --line: rgba(28, 27, 26, .09);
  --accent: #2f6f6a; --on-accent: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161718; --surface: #1d1f21; --ink: #e9e8e6; --muted: #9b9a97; --line: rgba(255, 255, 255, .09);
    --accent: #7fc4bd; --on-accent: #10201f;
  }
}
* { box-sizing: border-box; }
html { background: var(--page); color: var(--ink); scrollbar-gutter: stable both-edges; }
body { margin: 0; padding: 48px 20px 64px; font: 16px/1.65 system-ui, sans-serif; -webkit-font-smoothing: antialiased; }
main { max-width: 40rem; margin: 0 auto; }
.mark { display: block; width: 40px; height: 40px; fill: var(--accent); }
.mark path { fill: none; stroke: var(--on-accent); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
h1 { font-size: 28px; line-height: 1.25; letter-spacing: -.015em; font-weight: 600; margin: 24px 0 12px; text-wrap: balance; }
h2 { font-size: 18px; line-height: 1.4; font-weight: 600; margin: 40px 0 4px; }
p { margin: 0 0 12px; text-wrap: pretty; }
.lead { color: var(--muted); }
pre {
  margin: 0 0 12px; padding: 12px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--surface);
  font: 13.5px/1.65 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere;
  -webkit-user-select: all; user-select: all;
}
code { font: 13.5px/1.65 ui-monospace, monospace; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
`

const icon = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#2f6f6a"/><path d="M9.5 8.5 16 17.2l6.5-8.7M16 17.2v7.3" fill="none" stroke="#ffffff" stroke-width="3"/></svg>',
)}`

const ways = `
<section aria-labelledby="own">
  <h2 id="own">Let Yonder make a certificate</h2>
  <p>Yonder makes a certificate for this machine and prints how your devices trust it.</p>
  <pre>yonder start --tls --host 0.0.0.0</pre>
  <p>In a container or in a file <code>.env</code>, these settings do the same. Write the name and the port of this server instead of <code>nas.local:3000</code>. If <code>PUBLIC_URL</code> begins with <code>http://</code>, change or remove it:</p>
  <pre>TLS=local
HOST=0.0.0.0
PUBLIC_URL=https://nas.local:3000</pre>
</section>
<section aria-labelledby="proxy">
  <h2 id="proxy">Use a proxy that has a certificate</h2>
  <p>Put Caddy, nginx or another proxy in front of Yonder, let it pass on the header <code>Host</code>, and set the address that users open:</p>
  <pre>PUBLIC_URL=https://chat.example.com</pre>
  <p><a href="${docsUrl}" rel="noopener noreferrer">Address, TLS and proxies in the documentation</a></p>
</section>
<section aria-labelledby="tunnel">
  <h2 id="tunnel">Use it from your own computer only</h2>
  <p>On <code>localhost</code> no certificate is needed. Remove the setting <code>PUBLIC_URL</code>. On your computer, run this command and leave it running. Replace <code>user@nas</code> by your user and the name of the server. If Yonder prints another port than <code>3000</code> when it starts, write it in place of both:</p>
  <pre>ssh -N -L 3000:localhost:3000 user@nas</pre>
  <p>Then open <a href="http://localhost:3000">http://localhost:3000</a>, or <code>localhost</code> with the other port, there.</p>
</section>`

function render({ title, text }: AddressPage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>
<main>
<svg class="mark" viewBox="0 0 32 32" aria-hidden="true"><circle cx="16" cy="16" r="16"/><path d="M9.5 8.5 16 17.2l6.5-8.7M16 17.2v7.3"/></svg>
<h1>${title}</h1>
<p class="lead">${text}</p>
${ways}
</main>
</body>
</html>
`
}

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

/**
 * Sends the page with its own headers. Those of `registerSecurityHeaders` are not set yet, and must not be: they may
 * contain HSTS for a name that is not ours.
 */
export function sendAddressPage(reply: FastifyReply, status: 400 | 403, page: AddressPage): FastifyReply {
  return reply.status(status).headers(headers).type('text/html; charset=utf-8').send(render(page))
}
