/**
 * Sends the browser to another page. Resolves when the user returns to this page, for example with the back button, so
 * that pending controls become usable again.
 */
export async function leaveFor(address: string | URL): Promise<void> {
  location.assign(address)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}
