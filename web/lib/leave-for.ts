/**
 * Sends the browser to another page. Resolves when the browser comes back to this page, as its back button may do, so that
 * pending controls become usable again.
 */
export async function leaveFor(address: string | URL): Promise<void> {
  location.assign(address)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}
