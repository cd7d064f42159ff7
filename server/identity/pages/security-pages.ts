import { minPasswordChars } from '../accounts/create-account.ts'
import { html } from './html.ts'
import type { Markup } from './html.ts'
import type { Page } from './render-page.ts'

export interface SignInEntry {
  /** The value that names the sign-in in its form. */
  readonly id: string
  readonly browser: string | null
  readonly createdAt: number
  readonly usedAt: number
  readonly isCurrent: boolean
}

export interface SecurityView {
  /** The address of the page. Its forms are sent to addresses below it. */
  readonly path: string
  readonly token: string
  readonly email: string
  /** False for an account that signs in with Google. */
  readonly hasPassword: boolean
  readonly signIns: readonly SignInEntry[]
  /** What has just been done. */
  readonly notice: string | null
  /** Why the password was not changed. */
  readonly error: string | null
}

/** 'Account and security': the password and the sign-ins of an account (§15.30, §15.31). */
export function securityPage(view: SecurityView): Page {
  return {
    title: 'Account and security',
    text: view.email,
    body: html`
      ${view.notice === null ? undefined : html`<p class="note" role="status">${view.notice}</p>`}
      <section aria-labelledby="password-title">
        <h2 id="password-title">Password</h2>
        ${view.hasPassword ? passwordForm(view) : html`<p class="detail">You sign in with Google. Change your password there.</p>`}
      </section>
      <section aria-labelledby="sign-ins-title">
        <h2 id="sign-ins-title">Sign-ins</h2>
        <p class="detail">
          The browsers in which this account is signed in. Times are in UTC. If you do not recognise one, sign
          it out and change your password.
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

function passwordForm({ path, token, email, error }: SecurityView): Markup {
  return html`
    ${error === null ? undefined : html`<p class="alert" role="alert">${error}</p>`}
    <form method="post" action="${path}/password">
      <input type="hidden" name="form" value="${token}" />
      <input type="text" name="username" value="${email}" autocomplete="username" hidden />
      ${secretField({ id: 'current', label: 'Current password', autocomplete: 'current-password' })}
      ${newPasswordField()}
      <button class="button" type="submit">Change password</button>
      <span class="hint">Every other browser is signed out. This one stays signed in.</span>
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
      <span class="hint">Last used ${time(entry.usedAt)}</span>
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
              aria-label="Sign out ${browser}, last used ${formatTime(entry.usedAt)}"
            >
              Sign out
            </button>
          </form>`
    }
  </li>`
}

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

function formatTime(milliseconds: number): string {
  return format.format(milliseconds)
}

function time(milliseconds: number): Markup {
  return html`<time datetime="${new Date(milliseconds).toISOString()}">${formatTime(milliseconds)}</time>`
}

export interface ResetForm {
  readonly action: string
  readonly token: string
  readonly email: string
  readonly error: string | null
}

/** The page of a reset link, which asks for a new password (§15.33). */
export function resetPage({ action, token, email, error }: ResetForm): Page {
  return {
    title: 'Choose a new password',
    text: email,
    body: html`
      ${error === null ? undefined : html`<p class="alert" role="alert">${error}</p>`}
      <form method="post" action="${action}">
        <input type="hidden" name="form" value="${token}" />
        <input type="text" name="username" value="${email}" autocomplete="username" hidden />
        ${newPasswordField()}
        <button class="button" type="submit">Set password</button>
        <span class="hint">Every browser that is signed in with this account is signed out.</span>
      </form>
    `,
  }
}

function newPasswordField(): Markup {
  return secretField({
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
}

function secretField({ id, label, autocomplete, hint }: SecretField): Markup {
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
      />
      <button class="reveal" type="button" aria-pressed="false" aria-controls="${id}" hidden>Show</button>
    </span>
    ${hint === undefined ? undefined : html`<span class="hint" id="${id}-hint">${hint}</span>`}
  </div>`
}
