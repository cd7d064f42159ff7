import type { SignInRow } from '../../db/tables/tables.ts'
import { hashRecordId } from '../provider/oidc-store.ts'
import { alert, form, hiddenEmail, note, passwordField, submitButton, type FormTarget } from './fields.ts'
import { html, type Markup } from './html.ts'
import type { Page } from './render-page.ts'

export interface SecurityView {
  /** The address of the page. Its forms are sent to addresses below it. */
  readonly path: string
  /** The value of the hidden field of each form (`makeFormToken`). */
  readonly token: string
  readonly email: string
  /** False for an account that signs in with Google. */
  readonly hasPassword: boolean
  readonly signIns: readonly SignInRow[]
  /** The grant of the sign-in of this browser. */
  readonly grantId: string
  /** What has just been done. */
  readonly notice: string | null
  /** Why the password was not changed, and the field to correct. */
  readonly problem: { readonly text: string; readonly field: 'current' | 'password' } | null
}

/** 'Account and security': the password and the sign-ins of an account. */
export function securityPage(view: SecurityView): Page {
  const { path, token, email, hasPassword, signIns } = view
  const everywhere = html`<button class="button second" type="submit">Sign out everywhere</button>`
  return {
    title: 'Account and security',
    text: breakable(email),
    body: html`
      ${note(view.notice)}
      <section aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        ${hasPassword ? passwordForm(view) : html`<p class="detail">You sign in with Google. Change your password there.</p>`}
      </section>
      <section aria-labelledby="sign-ins-title">
        <h2 id="sign-ins-title">Sign-ins</h2>
        <p class="detail">
          The browsers in which this account is signed in. If you do not recognise one, sign it out and change
          your password.
        </p>
        <ul class="list">
          ${signIns.map((signIn) => signInItem(view, signIn))}
        </ul>
        ${form({ action: `${path}/sign-out-everywhere`, token }, [], everywhere)}
      </section>
      <a class="quiet" href="/settings/general">Back to Yonder</a>
    `,
  }
}

/** An e-mail that breaks after its @ when it is longer than a line. */
function breakable(email: string): Markup {
  const end = email.lastIndexOf('@') + 1
  return html`${email.slice(0, end)}<wbr />${email.slice(end)}`
}

function passwordForm({ path, token, email, problem }: SecurityView): Markup {
  const fields = [
    hiddenEmail(email),
    currentPasswordField(problem?.field === 'current'),
    newPasswordField(problem?.field === 'password'),
  ]
  return html`
    <p class="detail">A new password signs out every other browser. This one stays signed in.</p>
    ${alert(problem?.text ?? null)}
    ${form({ action: `${path}/password`, token }, fields, submitButton('Change password'))}
  `
}

/** The field to correct has the focus. */
function currentPasswordField(isWrong: boolean): Markup {
  const label = 'Current password'
  return passwordField({ id: 'current', label, isNew: false, isInvalid: isWrong, hasFocus: isWrong })
}

function newPasswordField(isWrong: boolean): Markup {
  const label = 'New password'
  return passwordField({ id: 'password', label, isNew: true, isInvalid: isWrong, hasFocus: isWrong })
}

function signInItem({ path, token, grantId }: SecurityView, signIn: SignInRow): Markup {
  const browser = signIn.browser ?? 'Unknown browser'
  const id = hashRecordId(signIn.grant_id)
  const isCurrent = signIn.grant_id === grantId
  const idField = html`<input type="hidden" name="sign-in" value="${id}" />`
  const button = html`<button
    class="button second small"
    type="submit"
    aria-label="Sign out ${browser}"
    aria-describedby="used-${id}"
  >
    Sign out
  </button>`
  return html`<li>
    <div>
      <strong>${browser}</strong>
      ${isCurrent ? html`<span class="badge">This browser</span>` : undefined}
      <span class="hint">Signed in ${time(signIn.created_at)}</span>
      <span class="hint" id="used-${id}">Last used ${time(signIn.used_at)}</span>
    </div>
    ${isCurrent ? undefined : form({ action: `${path}/sign-out`, token }, [idField], button)}
  </li>`
}

/** In UTC, which the script of the page replaces by local time. */
function time(milliseconds: number): Markup {
  const text = new Date(milliseconds).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`
}

export interface ResetForm extends FormTarget {
  readonly email: string
  readonly error: string | null
}

/** The page of a reset link, which asks for a new password. */
export function resetPage(view: ResetForm): Page {
  const fields = [hiddenEmail(view.email), newPasswordField(view.error !== null)]
  return {
    title: 'Choose a new password',
    text: breakable(view.email),
    body: html`
      <p class="detail">A new password signs out every browser that is signed in with this account.</p>
      ${alert(view.error)} ${form(view, fields, submitButton('Set password'))}
    `,
  }
}
