import { z } from 'zod'

/**
 * A name that is a step of an address, such as `/api/bot/{name}`: it cannot be "." or "..", which clients resolve away.
 *
 * @param missing the message when the name is empty
 */
export function resourceName(missing: string) {
  return z
    .string()
    .trim()
    .min(1, missing)
    .max(200)
    .refine((name) => name !== '.' && name !== '..', 'must be more than dots')
}
