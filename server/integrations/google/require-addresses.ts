import { AppError } from '../../lib/app-error.ts'
import { requireLine } from './require-plain-text.ts'

const bareAddress = /^[^\s@<>()[\]\\,;:"]+@[^\s@<>()[\]\\,;:"]+$/

/**
 * Addresses as a tool was given them. They are bare, because a name beside one could tell the person who approves them of
 * somebody else.
 * @throws AppError `invalid_request`
 */
export function requireAddresses(name: string, addresses: readonly string[] | undefined): string[] {
  return (addresses ?? []).map((text) => {
    const address = requireLine(name, text)
    if (address.length <= 254 && bareAddress.test(address)) return address
    throw new AppError(
      'invalid_request',
      `"${address.slice(0, 100)}" in "${name}" is no plain address such as ann@example.com. Nothing was done.`,
    )
  })
}
