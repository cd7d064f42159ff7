import { minPasswordChars } from '../accounts/create-account.ts'
import { html } from './html.ts'
import type { Page } from './render-page.ts'

export interface SignInForm {
  readonly action: string
  readonly token: string
  readonly email: string
  readonly error: string | null
  /** Google was asked for but is not set up. */
  readonly googleMissing: boolean
  /** The page for creating an account. Null when no account may be created. */
  readonly newAccount: string | null
  /** Starts the sign-in with Google; null when it is not set up. */
  readonly google: string | null
}

export function signInPage(form: SignInForm): Page {
  return {
    title: 'Sign in',
    sentence: 'Use your account in this installation.',
    body: html`
      ${
        form.googleMissing
          ? html`<p class="note" role="status">
              Sign in with Google is not set up here. You can use a local account instead.
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
            />
            <button class="reveal" type="button" aria-pressed="false" aria-controls="password" hidden>
              Show
            </button>
          </span>
        </div>
        <button class="button" type="submit">Sign in</button>
      </form>
      ${
        form.google === null
          ? undefined
          : html`<a class="button second" href="${form.google}">Sign in with Google</a>`
      }
      ${
        form.newAccount === null
          ? undefined
          : html`<p class="quiet">New here? <a href="${form.newAccount}">Create an account</a></p>`
      }
    `,
  }
}

export function emailField(email: string, again: boolean) {
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
      ${again ? html`aria-invalid="true"` : undefined}
      ${email === '' ? html`autofocus` : undefined}
    />
  </div>`
}

export interface NewAccountForm {
  readonly action: string
  readonly token: string
  readonly sentence: string
  readonly name: string
  readonly email: string
  readonly error: string | null
  /** Back to the sign-in, where there is one. */
  readonly signIn: string | null
}

export function newAccountPage(form: NewAccountForm): Page {
  return {
    title: 'Create an account',
    sentence: form.sentence,
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
        ${emailField(form.email, false)}
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
        form.signIn === null
          ? undefined
          : html`<p class="quiet">Have an account? <a href="${form.signIn}">Sign in</a></p>`
      }
    `,
  }
}
