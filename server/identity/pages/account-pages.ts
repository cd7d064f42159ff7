import { alert, emailField, form, note, passwordField, submitButton, type FormTarget } from './fields.ts'
import { html } from './html.ts'
import type { Page } from './render-page.ts'

export interface SignInForm extends FormTarget {
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

const setUpNote = 'No account exists yet. The set-up link in the log of the server creates the first one.'
const googleNote = 'Google sign-in is not set up on this server. Sign in with e-mail and password instead.'

export function signInPage(view: SignInForm): Page {
  const { email, error, googleUrl, newAccountUrl } = view
  const fields = [
    emailField(email, error !== null),
    passwordField({ id: 'password', label: 'Password', isNew: false, hasFocus: email !== '' }),
  ]
  return {
    title: 'Sign in',
    text: 'Use your account on this Yonder server.',
    body: html`
      ${note(view.needsSetUp ? setUpNote : null)} ${note(view.isGoogleMissing ? googleNote : null)}
      ${alert(error)} ${form(view, fields, submitButton('Sign in'))}
      ${googleUrl === null ? undefined : html`<a class="button second" href="${googleUrl}">Sign in with Google</a>`}
      ${
        newAccountUrl === null
          ? undefined
          : html`<p class="quiet">New here? <a href="${newAccountUrl}">Create an account</a></p>`
      }
    `,
  }
}

export interface NewAccountForm extends FormTarget {
  readonly text: string
  readonly name: string
  readonly email: string
  /** True when the account gets this e-mail and no other, as with an invitation. */
  readonly isEmailFixed?: boolean
  readonly error: string | null
  /** The address of the sign-in page. Null when the page was opened with a set-up link or an invitation. */
  readonly signInUrl: string | null
}

export function newAccountPage(view: NewAccountForm): Page {
  const { text, name, email, isEmailFixed, error, signInUrl } = view
  const nameField = html`<div>
    <label for="name">Name</label>
    <input
      id="name"
      name="name"
      type="text"
      value="${name}"
      autocomplete="name"
      maxlength="100"
      required
      ${name === '' ? html`autofocus` : undefined}
    />
  </div>`
  const fields = [
    nameField,
    emailField(email, false, isEmailFixed),
    passwordField({ id: 'password', label: 'Password', isNew: true }),
  ]
  return {
    title: 'Create an account',
    text,
    body: html`
      ${alert(error)} ${form(view, fields, submitButton('Create account'))}
      ${
        signInUrl === null
          ? undefined
          : html`<p class="quiet">Already have an account? <a href="${signInUrl}">Sign in</a></p>`
      }
    `,
  }
}
