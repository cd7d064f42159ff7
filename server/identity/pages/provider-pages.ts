import { decodeJwt } from 'jose'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { html, raw } from './html.ts'
import { renderPage } from './render-page.ts'
import type { Page } from './render-page.ts'

/** The provider's own error page: something was wrong with the request, and the way on is to start again. */
export function showError(ctx: KoaContextWithOIDC, out: ErrorOut): void {
  const expired =
    out.error === 'invalid_request' && /interaction|session|expired/.test(out.error_description ?? '')
  show(ctx, {
    title: expired ? 'This sign-in has expired' : 'The sign-in failed',
    sentence: expired
      ? 'Go back to Yonder and sign in again.'
      : 'The sign-in request was refused. Go back to Yonder and sign in again.',
    body: html`<p class="detail">${out.error_description ?? out.error}</p>
      <a class="button" href="/">Back to Yonder</a>`,
  })
}

/** Asks before signing out, unless our own app requested it for the signed-in user. */
export function showLogout(ctx: KoaContextWithOIDC, form: string): void {
  show(ctx, {
    title: 'Sign out',
    sentence: 'Do you want to sign out of Yonder?',
    body: html`${raw(form)}
      <button class="button" type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>
        Sign out
      </button>
      <a class="quiet" href="/">Stay signed in</a>`,
    ...(isAskedByHolder(ctx) ? { script: submitLogout } : {}),
  })
}

export function showSignedOut(ctx: KoaContextWithOIDC): void {
  show(ctx, {
    title: 'Signed out',
    sentence: 'You are signed out of Yonder.',
    body: html`<a class="button" href="/">Sign in again</a>`,
  })
}

const submitLogout = `document.querySelector('button[name=logout]').click()`

/** A link from another site has no ID token of this session and must not sign the user out. */
function isAskedByHolder(ctx: KoaContextWithOIDC): boolean {
  const hint = ctx.oidc.params?.['id_token_hint']
  // The provider has checked its signature.
  return typeof hint === 'string' && decodeJwt(hint).sub === ctx.oidc.session?.accountId
}

function show(ctx: KoaContextWithOIDC, page: Page): void {
  const { document, policy } = renderPage(page)
  ctx.set('content-security-policy', policy)
  ctx.set('cache-control', 'no-store')
  ctx.type = 'html'
  ctx.body = document
}
