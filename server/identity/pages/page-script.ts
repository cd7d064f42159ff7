/**
 * Runs on every page of the provider, and none needs it: one submission per form, and a button that shows what was
 * typed as a password.
 */
export const pageScript = `
for (const form of document.querySelectorAll('form')) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) { event.preventDefault(); return }
    form.dataset.sent = 'yes'
    form.querySelector('.button')?.setAttribute('aria-busy', 'true')
  })
}
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form')) {
    delete form.dataset.sent
    form.querySelector('.button')?.removeAttribute('aria-busy')
  }
})
for (const button of document.querySelectorAll('button.reveal')) {
  const input = button.parentElement.querySelector('input')
  button.hidden = false
  button.addEventListener('click', () => {
    const shown = input.type === 'password'
    input.type = shown ? 'text' : 'password'
    button.textContent = shown ? 'Hide' : 'Show'
    button.setAttribute('aria-pressed', String(shown))
  })
}
`
