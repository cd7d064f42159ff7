import { minPasswordChars } from '../accounts/create-account.ts'
import { html, type Markup } from './html.ts'

/** Where a form is sent, and the value of its hidden field (`makeFormToken`). */
export interface FormTarget {
  readonly action: string
  readonly token: string
}

export function form({ action, token }: FormTarget, fields: readonly Markup[], button: Markup): Markup {
  return html`<form method="post" action="${action}">
    <input type="hidden" name="form" value="${token}" />
    ${fields} ${button}
  </form>`
}

export function submitButton(label: string): Markup {
  return html`<button class="button" type="submit">${label}</button>`
}

/** Why a form was refused. */
export function alert(text: string | null): Markup | undefined {
  return text === null ? undefined : html`<p class="alert" role="alert">${text}</p>`
}

export function note(text: string | null): Markup | undefined {
  return text === null ? undefined : html`<p class="note" role="status">${text}</p>`
}

export function emailField(email: string, isInvalid: boolean, isFixed = false): Markup {
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

/** Tells password managers which account a form without an e-mail field belongs to. */
export function hiddenEmail(email: string): Markup {
  return html`<input type="text" name="username" value="${email}" autocomplete="username" hidden />`
}

interface PasswordField {
  readonly id: 'password' | 'current'
  readonly label: string
  /** Whether the user chooses it, rather than proves to know it. */
  readonly isNew: boolean
  readonly isInvalid?: boolean
  readonly hasFocus?: boolean
}

export function passwordField({ id, label, isNew, isInvalid, hasFocus }: PasswordField): Markup {
  return html`<div>
    <label for="${id}">${label}</label>
    <span class="field">
      <input
        id="${id}"
        class="secret"
        name="${id}"
        type="password"
        autocomplete="${isNew ? 'new-password' : 'current-password'}"
        maxlength="1000"
        ${isNew ? html`minlength="${String(minPasswordChars)}" aria-describedby="${id}-hint"` : undefined}
        required
        ${isInvalid ? html`aria-invalid="true"` : undefined}
        ${hasFocus ? html`autofocus` : undefined}
      />
      <button class="reveal" type="button" aria-pressed="false" aria-controls="${id}" hidden>Show</button>
    </span>
    ${isNew ? html`<span class="hint" id="${id}-hint">At least ${String(minPasswordChars)} characters.</span>` : undefined}
  </div>`
}
