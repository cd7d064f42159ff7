/** The link that leads to a share (§7.10). */
export function shareAddress(shareId: string): string {
  return new URL(`/share/${shareId}`, location.origin).href
}
