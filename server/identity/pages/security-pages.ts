import { minPasswordChars } from '../accounts/create-account.ts'
import { html, type Markup } from './html.ts'
import type { Page } from './render-page.ts'

export interface SignInEntry {
  /** The value that names the sign-in in its form. */
  readonly id: string
  /** As in 'Firefox on Linux'. */
  readonly browser: string | null
  /** Milliseconds since 1970, as `usedAt` is. */
  readonly createdAt: number
  readonly usedAt: number
  readonly isCurrent: boolean
}

export interface SecurityView {
  /** The address of the page. Its forms are sent to addresses below it. */
  readonly path: string
  /** The value of the hidden field `form` (`makeFormToken`). */
  readonly token: string
  readonly email: string
  /** False for an account that signs in with Google. */
  readonly hasPassword: boolean
  readonly signIns: readonly SignInEntry[]
  /** What has just been done. */
  readonly notice: string | null
  /** Why the password was not changed, and the field to correct. */
  readonly problem: { readonly text: string; readonly field: 'current' | 'password' } | null
}

/** 'Account and security': the password and the sign-ins of an account. */
export function securityPage(view: SecurityView): Page {
  return {
    title: 'Account and security',
    text: breakable(view.email),
    body: html`
      ${view.notice === null ? undefined : html`<p class="note" role="status">${view.notice}</p>`}
      <section aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        ${view.hasPassword ? passwordForm(view) : html`<p class="detail">You sign in with Google. Change your password there.</p>`}
      </section>
      <section aria-labelledby="sign-ins-title">
        <h2 id="sign-ins-title">Sign-ins</h2>
        <p class="detail">
          The browsers in which this account is signed in. If you do not recognise one, sign it out and change
          your password.
        </p>
        <ul class="list">
          ${view.signIns.map((entry) => signInItem(view, entry))}
        </ul>
        <form method="post" action="${view.path}/sign-out-everywhere">
          <input type="hidden" name="form" value="${view.token}" />
          <button class="button second" type="submit">Sign out everywhere</button>
        </form>
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
  const wrong = problem?.field
  return html`
    <p class="detail">A new password signs out every other browser. This one stays signed in.</p>
    ${problem === null ? undefined : html`<p class="alert" role="alert">${problem.text}</p>`}
    <form method="post" action="${path}/password">
      <input type="hidden" name="form" value="${token}" />
      <input type="text" name="username" value="${email}" autocomplete="username" hidden />
      ${secretField({
        id: 'current',
        label: 'Current password',
        autocomplete: 'current-password',
        isWrong: wrong === 'current',
      })}
      ${newPasswordField(wrong === 'password')}
      <button class="button" type="submit">Change password</button>
    </form>
  `
}

function signInItem({ path, token }: SecurityView, entry: SignInEntry): Markup {
  const browser = entry.browser ?? 'Unknown browser'
  return html`<li>
    <div>
      <strong>${browser}</strong>
      ${entry.isCurrent ? html`<span class="badge">This browser</span>` : undefined}
      <span class="hint">Signed in ${time(entry.createdAt)}</span>
      <span class="hint" id="used-${entry.id}">Last used ${time(entry.usedAt)}</span>
    </div>
    ${
      entry.isCurrent
        ? undefined
        : html`<form method="post" action="${path}/sign-out">
            <input type="hidden" name="form" value="${token}" />
            <input type="hidden" name="sign-in" value="${entry.id}" />
            <button
              class="button second small"
              type="submit"
              aria-label="Sign out ${browser}"
              aria-describedby="used-${entry.id}"
            >
              Sign out
            </button>
          </form>`
    }
  </li>`
}

/** In UTC, which the script of the page replaces by local time. */
function time(milliseconds: number): Markup {
  const text = new Date(milliseconds).toISOString()
  return html`<time datetime="${text}">${text.slice(0, 16).replace('T', ' ')} UTC</time>`
}

export interface ResetForm {
  readonly action: string
  /** The value of the hidden field `form` (`makeFormToken`), not the token of the link. */
  readonly token: string
  readonly email: string
  readonly error: string | null
}

/** The page of a reset link, which asks for a new password. */
export function resetPage({ action, token, email, error }: ResetForm): Page {
  return {
    title: 'Choose a new password',
    text: breakable(email),
    body: html`
      <p class="detail">A new password signs out every browser that is signed in with this account.</p>
      ${error === null ? undefined : html`<p class="alert" role="alert">${error}</p>`}
      <form method="post" action="${action}">
        <input type="hidden" name="form" value="${token}" />
        <input type="text" name="username" value="${email}" autocomplete="username" hidden />
        ${newPasswordField(error !== null)}
        <button class="button" type="submit">Set password</button>
      </form>
    `,
  }
}

function newPasswordField(isWrong: boolean): Markup {
  return secretField({
    isWrong,
    id: 'password',
    label: 'New password',
    autocomplete: 'new-password',
    hint: `At least ${minPasswordChars} characters.`,
  })
}

interface SecretField {
  readonly id: string
  readonly label: string
  readonly autocomplete: string
  readonly hint?: string
  /** Whether this is the field to correct, which then has the focus. */
  readonly isWrong: boolean
}

function secretField({ id, label, autocomplete, hint, isWrong }: SecretField): Markup {
  return html`<div>
    <label for="${id}">${label}</label>
    <span class="field">
      <input
        id="${id}"
        class="secret"
        name="${id}"
        type="password"
        autocomplete="${autocomplete}"
        maxlength="1000"
        ${hint === undefined ? undefined : html`minlength="${String(minPasswordChars)}" aria-describedby="${id}-hint"`}
        required
        ${isWrong ? html`aria-invalid="true" autofocus` : undefined}
      />
      <button class="reveal" type="button" aria-pressed="false" aria-controls="${id}" hidden>Show</button>
    </span>
    ${hint === undefined ? undefined : html`<span class="hint" id="${id}-hint">${hint}</span>`}
  </div>`
}
