import { decodeJwt } from 'jose'
import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { retryAfterSeconds, statusOf } from '../../http/error-handler.ts'
import type { AppError } from '../../lib/app-error.ts'
import { html, raw } from './html.ts'
import { noticePage, renderPage, failurePage, type Page } from './render-page.ts'

/**
 * The error page for OpenID requests that the provider refuses, or could not execute. A failure of the database has the
 * same status and text as on the other pages.
 */
export function showError(ctx: KoaContextWithOIDC, out: ErrorOut, storageError: AppError | null): void {
  if (storageError !== null) {
    ctx.status = statusOf[storageError.code]
    if (storageError.code === 'unavailable') ctx.set('retry-after', String(retryAfterSeconds))
    show(ctx, failurePage(storageError))
    return
  }
  const isSignOut = ctx.path.startsWith('/session/end')
  const title = isSignOut ? 'The sign-out failed' : 'The sign-in failed'
  if (out.error === 'server_error') {
    show(ctx, noticePage(title, 'Something went wrong on the server. Try again.'))
    return
  }
  const isExpired =
    !isSignOut &&
    out.error === 'invalid_request' &&
    /interaction|session|expired/.test(out.error_description ?? '')
  const text = isSignOut
    ? 'This browser may still be signed in. Go back to Yonder, sign in, and sign out again.'
    : 'The sign-in request is not valid. Go back to Yonder and sign in again.'
  show(ctx, {
    title: isExpired ? 'This sign-in has expired' : title,
    text: isExpired ? 'Go back to Yonder and sign in again.' : text,
    body: html`<p class="detail">${out.error_description ?? out.error}</p>
      <a class="button" href="/">Back to Yonder</a>`,
  })
}

/** The page that asks for confirmation before signing out. It submits itself when the app requested the sign-out. */
export function showLogout(ctx: KoaContextWithOIDC, form: string): void {
  show(ctx, {
    title: 'Sign out',
    text: 'Do you want to sign out of Yonder?',
    body: html`${raw(form)}
      <button class="button" type="submit" form="op.logoutForm" name="logout" value="yes" autofocus>
        Sign out
      </button>
      <a class="quiet" href="/">Stay signed in</a>`,
    ...(hasOwnIdToken(ctx) ? { script: submitLogout } : {}),
  })
}

export function showSignedOut(ctx: KoaContextWithOIDC): void {
  show(ctx, {
    title: 'Signed out',
    text: 'You are signed out of Yonder.',
    body: html`<a class="button" href="/">Sign in again</a>`,
  })
}

const submitLogout = `document.forms['op.logoutForm'].elements.logout.click()`

/** Whether the request contains an ID token of the signed-in user. Other sites cannot have it. */
function hasOwnIdToken(ctx: KoaContextWithOIDC): boolean {
  const hint = ctx.oidc.params?.['id_token_hint']
  // The provider has verified its signature.
  return typeof hint === 'string' && decodeJwt(hint).sub === ctx.oidc.session?.accountId
}

function show(ctx: KoaContextWithOIDC, page: Page): void {
  const { document, policy } = renderPage(page)
  ctx.set('content-security-policy', policy)
  ctx.set('cache-control', 'no-store')
  ctx.type = 'html'
  ctx.body = document
}
