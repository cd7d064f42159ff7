/** What can be done with an integration, by a call of its own. */
type Act = 'disconnect' | 'auth' | 'callback'

/** The address of one integration, or of something to do with it. */
export function integrationAddress(name: string, act?: Act): string {
  const last = encodeURIComponent(name)
  return act === undefined ? `/api/integration/${last}` : `/api/integration/${act}/${last}`
}
