import { shortestPassword } from '../accounts/new-account.ts'
import { html } from './html.ts'
import type { Page } from './render-page.ts'
import { emailField } from './sign-in-page.ts'

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
              minlength="${String(shortestPassword)}"
              maxlength="1000"
              aria-describedby="password-hint"
              required
            />
            <button class="reveal" type="button" aria-pressed="false" aria-controls="password" hidden>
              Show
            </button>
          </span>
          <span class="hint" id="password-hint">At least ${String(shortestPassword)} characters.</span>
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
