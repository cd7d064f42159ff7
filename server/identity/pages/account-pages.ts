import { minPasswordChars } from '../accounts/create-account.ts'
import { html } from './html.ts'
import type { Page } from './render-page.ts'

export interface SignInForm {
  readonly action: string
  /** The value of the hidden field `form` (`makeFormToken`). */
  readonly token: string
  readonly email: string
  readonly error: string | null
  /** True while there is no account, and the set-up link creates the first one. */
  readonly needsSetUp: boolean
  /** True when the user chose 'Sign in with Google' and Google is not set up. */
  readonly isGoogleMissing: boolean
  /** The address of the page for a new account. Null when no account may be created. */
  readonly newAccountUrl: string | null
  /** The address that starts the sign-in with Google. Null when Google is not set up. */
  readonly googleUrl: string | null
}

export function signInPage(form: SignInForm): Page {
  return {
    title: 'Sign in',
    text: 'Use your account on this Yonder server.',
    body: html`
      ${
        form.needsSetUp
          ? html`<p class="note" role="status">
              No account exists yet. The set-up link in the log of the server creates the first one.
            </p>`
          : undefined
      }
      ${
        form.isGoogleMissing
          ? html`<p class="note" role="status">
              Google sign-in is not set up on this server. Sign in with e-mail and password instead.
            </p>`
          : undefined
      }
      ${form.error === null ? undefined : html`<p class="alert" role="alert">${form.error}</p>`}
      <form method="post" action="${form.action}">
        <input type="hidden" name="form" value="${form.token}" />
        ${emailField(form.email, form.error !== null)}
        <div>
          <label for="password">Password</label>
          <span class="field">
            <input
              id="password"
              class="secret"
              name="password"
              type="password"
              autocomplete="current-password"
              maxlength="1000"
              required
              ${form.email === '' ? undefined : html`autofocus`}
            />
            <button class="reveal" type="button" aria-pressed="false" aria-controls="password" hidden>
              Show
            </button>
          </span>
        </div>
        <button class="button" type="submit">Sign in</button>
      </form>
      ${
        form.googleUrl === null
          ? undefined
          : html`<a class="button second" href="${form.googleUrl}">Sign in with Google</a>`
      }
      ${
        form.newAccountUrl === null
          ? undefined
          : html`<p class="quiet">New here? <a href="${form.newAccountUrl}">Create an account</a></p>`
      }
    `,
  }
}

function emailField(email: string, isInvalid: boolean, isFixed = false) {
  return html`<div>
    <label for="email">E-mail</label>
    <input
      id="email"
      name="email"
      type="email"
      value="${email}"
      autocomplete="username"
      maxlength="254"
      autocapitalize="none"
      spellcheck="false"
      required
      ${isFixed ? html`readonly` : undefined}
      ${isInvalid ? html`aria-invalid="true"` : undefined}
      ${email === '' ? html`autofocus` : undefined}
    />
  </div>`
}

export interface NewAccountForm {
  readonly action: string
  /** The value of the hidden field `form` (`makeFormToken`). */
  readonly token: string
  readonly text: string
  readonly name: string
  readonly email: string
  /** True when the account gets this e-mail and no other, as with an invitation. */
  readonly isEmailFixed?: boolean
  readonly error: string | null
  /** The address of the sign-in page. Null when the page was opened with a set-up link or an invitation. */
  readonly signInUrl: string | null
}

export function newAccountPage(form: NewAccountForm): Page {
  return {
    title: 'Create an account',
    text: form.text,
    body: html`
      ${form.error === null ? undefined : html`<p class="alert" role="alert">${form.error}</p>`}
      <form method="post" action="${form.action}">
        <input type="hidden" name="form" value="${form.token}" />
        <div>
          <label for="name">Name</label>
          <input
            id="name"
            name="name"
            type="text"
            value="${form.name}"
            autocomplete="name"
            maxlength="100"
            required
            ${form.name === '' ? html`autofocus` : undefined}
          />
        </div>
        ${emailField(form.email, false, form.isEmailFixed)}
        <div>
          <label for="password">Password</label>
          <span class="field">
            <input
              id="password"
              class="secret"
              name="password"
              type="password"
              autocomplete="new-password"
              minlength="${String(minPasswordChars)}"
              maxlength="1000"
              aria-describedby="password-hint"
              required
            />
            <button class="reveal" type="button" aria-pressed="false" aria-controls="password" hidden>
              Show
            </button>
          </span>
          <span class="hint" id="password-hint">At least ${String(minPasswordChars)} characters.</span>
        </div>
        <button class="button" type="submit">Create account</button>
      </form>
      ${
        form.signInUrl === null
          ? undefined
          : html`<p class="quiet">Already have an account? <a href="${form.signInUrl}">Sign in</a></p>`
      }
    `,
  }
}
