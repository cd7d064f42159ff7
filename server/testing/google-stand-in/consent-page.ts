/** Returns the HTML of the consent page of the stand-in for Google, with a checkbox for each scope. */
export function renderConsentPage(scopes: readonly string[], account: string): string {
  const boxes = scopes.map(
    (scope) =>
      `<p><label><input type="checkbox" name="scope" value="${escape(scope)}" checked> ${escape(scope)}</label></p>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<link rel="icon" href="data:,">
<title>Stand-in for Google</title>
<style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;padding:0 1rem}button{font:inherit;padding:.5rem 1rem}</style>
<h1>Stand-in for Google</h1>
<p>This is not Google: nothing leaves this machine. Yonder asks for access to the account ${escape(account)}.</p>
<form method="post">
${boxes.join('\n')}
<button name="decision" value="deny">Cancel</button>
<button name="decision" value="allow">Allow</button>
</form>
</html>`
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
