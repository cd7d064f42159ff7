import { z } from 'zod'
import { normalizeText } from '../lib/text.ts'

/** An id in a path. Its form is not checked, so that a malformed id is `not_found` like an unknown one. */
export const AnyId = z.object({ id: z.string().transform(normalizeText) })
