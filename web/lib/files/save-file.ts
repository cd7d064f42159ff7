/** Saves bytes as a file of this name, as if the user had followed a link to it. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  followDownload(address, name)
  // Some browsers read the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), readAfterMs)
}

/** Downloads an address of this site. `name` is for an address that does not name its file. */
export function followDownload(address: string, name = ''): void {
  Object.assign(document.createElement('a'), { href: address, download: name }).click()
}

/** The time for which the address of a saved file stays valid. */
const readAfterMs = 60_000
