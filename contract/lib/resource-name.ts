import { z } from 'zod'

/**
 * A name that is a segment of a URL path, such as `/api/bot/{name}`. It cannot be "." or "..", which clients remove
 * from paths.
 *
 * @param missing the message when the name is empty
 */
export function resourceName(missing: string) {
  return z
    .string()
    .trim()
    .min(1, missing)
    .max(200)
    .refine((name) => name !== '.' && name !== '..', 'must not be "." or ".."')
}
