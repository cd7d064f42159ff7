/**
 * Leaves for another page. Answers only when the browser comes back to this very page, as its back button may do; what
 * waits here is then free again.
 */
export async function leaveFor(address: string | URL): Promise<void> {
  location.assign(address)
  await new Promise((resolve) => addEventListener('pageshow', resolve, { once: true }))
}
