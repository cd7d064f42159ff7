/** The styles of all sign-in pages. The pages load no file for them, so values of `web/ui/tokens.css` are repeated. */
export const pageStyle = `
:root {
  color-scheme: light;
  --page: #fbfaf9; --surface: #ffffff; --ink: #1c1b1a; --muted: #6b6864; --line: rgba(28, 27, 26, .09);
  --field: rgba(28, 27, 26, .46); --accent: #2f6f6a; --on-accent: #ffffff; --danger: #b0332b; --danger-page: #f7ebe8;
}
:root.dark {
  color-scheme: dark;
  --page: #161718; --surface: #1d1f21; --ink: #e9e8e6; --muted: #9b9a97; --line: rgba(255, 255, 255, .09);
  --field: rgba(255, 255, 255, .42); --accent: #7fc4bd; --on-accent: #10201f; --danger: #f1948b; --danger-page: #2f2624;
}
* { box-sizing: border-box; }
html { background: var(--page); color: var(--ink); scrollbar-gutter: stable both-edges; }
body {
  margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 32px 20px;
  font: 16px/1.5 system-ui, sans-serif; -webkit-font-smoothing: antialiased;
}
main { width: 100%; max-width: 22.5rem; display: flex; flex-direction: column; align-items: center; text-align: center; }
.mark { width: 56px; height: 56px; fill: var(--accent); }
.mark path { fill: none; stroke: var(--on-accent); stroke-width: 3; stroke-linecap: round; stroke-linejoin: round; }
h1 { font-size: 28px; line-height: 1.25; letter-spacing: -.015em; font-weight: 600; margin: 24px 0 4px; text-wrap: balance; }
.sentence { color: var(--muted); margin: 0 0 28px; max-width: 100%; text-wrap: balance; overflow-wrap: anywhere; }
form, .stack { width: 100%; display: flex; flex-direction: column; gap: 16px; text-align: left; }
form:empty, form[id="op.logoutForm"] { display: none; }
label { display: block; font-size: 14px; font-weight: 500; margin-bottom: 6px; }
.hint { display: block; font-size: 12px; color: var(--muted); margin-top: 6px; }
.field { position: relative; display: block; }
input {
  width: 100%; height: 44px; padding: 0 12px; font: inherit; color: inherit; background: var(--surface);
  border: 1px solid var(--field); border-radius: 8px;
}
input[type=password], input.secret { padding-right: 68px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
input[aria-invalid=true] { border-color: var(--danger); }
.reveal {
  position: absolute; right: 2px; top: 2px; height: 40px; min-width: 60px; padding: 0 10px; border: 0; border-radius: 6px;
  background: none; color: var(--muted); font: inherit; font-size: 14px; cursor: pointer;
}
.reveal:hover { color: var(--ink); }
.button {
  display: inline-flex; align-items: center; justify-content: center; width: 100%; min-height: 44px; padding: 8px 16px;
  margin-top: 4px; border: 1px solid transparent; border-radius: 8px; background: var(--accent); color: var(--on-accent);
  font: inherit; font-weight: 500; text-decoration: none; cursor: pointer; transition: filter 140ms ease-out;
}
.button:hover { filter: brightness(1.08); }
.button[aria-busy] { opacity: .7; cursor: progress; }
.button.second { margin-top: 12px; background: var(--surface); border-color: var(--field); color: var(--ink); }
.quiet { color: var(--muted); font-size: 14px; margin-top: 20px; }
.quiet a { color: var(--ink); text-underline-offset: 3px; display: inline-block; padding: 10px 2px; }
a.quiet { text-underline-offset: 3px; padding: 10px; }
.alert, .note {
  width: 100%; margin: 0 0 16px; padding: 10px 12px; border-radius: 8px; text-align: left; font-size: 14px;
}
.alert { background: var(--danger-page); color: var(--danger); }
.note { border: 1px solid var(--line); background: var(--surface); }
.detail { color: var(--muted); font-size: 14px; margin: 0 0 16px; overflow-wrap: anywhere; }
section { width: 100%; text-align: left; }
section + section { margin-top: 40px; }
.note + section { margin-top: 12px; }
h2 { font-size: 18px; line-height: 1.4; font-weight: 600; margin: 0 0 4px; }
.list { list-style: none; margin: 0 0 16px; padding: 0 16px; border: 1px solid var(--line); border-radius: 12px; background: var(--surface); }
.list li { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 16px; padding: 12px 0; }
.list li > div { flex: 1 1 11rem; }
.list time { white-space: nowrap; }
.list li + li { border-top: 1px solid var(--line); }
.list strong { font-size: 14px; font-weight: 600; overflow-wrap: anywhere; }
.list .hint { margin-top: 2px; font-variant-numeric: tabular-nums; }
.list form { width: auto; flex: none; }
.badge { font-size: 12px; color: var(--muted); margin-left: 4px; white-space: nowrap; }
.button.small { width: auto; min-height: 36px; margin: 0; padding: 4px 14px; font-size: 14px; white-space: nowrap; }
@media (pointer: coarse) { .button.small { min-height: 44px; } }
[hidden] { display: none !important; }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; } }
`

/**
 * Applies the theme that the user chose in the app, which has the same origin, before the first paint and whenever it
 * changes. The rule is that of `web/public/theme.js`.
 */
export const themeScript = `
const system = matchMedia('(prefers-color-scheme: dark)')
function applyTheme() {
  let stored = null
  try {
    stored = localStorage.getItem('theme')
  } catch {
    // The browser blocks storage for this page.
  }
  const dark = stored === 'dark' || (stored === 'system' && system.matches)
  document.documentElement.classList.toggle('dark', dark)
  document.querySelector('link[rel=icon]').setAttribute('href', dark ? '/icon-dark.svg' : '/icon-light.svg')
  document.querySelector('meta[name=theme-color]').setAttribute('content', dark ? '#161718' : '#fbfaf9')
}
applyTheme()
system.addEventListener('change', applyTheme)
addEventListener('storage', applyTheme)
`

/**
 * The script of all sign-in pages. It prevents a form from being submitted twice, lets the user show the password, and
 * shows times in the time zone of the browser. The pages also work without scripts.
 */
export const pageScript = `
for (const form of document.forms) {
  form.addEventListener('submit', (event) => {
    if (form.dataset.sent) { event.preventDefault(); return }
    form.dataset.sent = 'yes'
    event.submitter?.setAttribute('aria-busy', 'true')
  })
}
addEventListener('pageshow', () => {
  for (const form of document.forms) {
    delete form.dataset.sent
    for (const control of form.elements) control.removeAttribute('aria-busy')
  }
})
// The server does not know the time zone of the browser.
const twoDigits = (value) => String(value).padStart(2, '0')
for (const element of document.querySelectorAll('time')) {
  const time = new Date(element.dateTime)
  const day = [time.getFullYear(), twoDigits(time.getMonth() + 1), twoDigits(time.getDate())].join('-')
  element.textContent = day + ' ' + twoDigits(time.getHours()) + ':' + twoDigits(time.getMinutes())
}
for (const button of document.querySelectorAll('button.reveal')) {
  const input = button.form.elements[button.getAttribute('aria-controls')]
  button.hidden = false
  button.addEventListener('click', () => {
    const show = input.type === 'password'
    input.type = show ? 'text' : 'password'
    button.textContent = show ? 'Hide' : 'Show'
    button.setAttribute('aria-pressed', String(show))
  })
}
`
