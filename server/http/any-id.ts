import { z } from 'zod'
import { normalizeText } from '../lib/text.ts'

/** An id in an address that is not checked for its form: what can be none is not found, as what is none. */
export const AnyId = z.object({ id: z.string().transform(normalizeText) })
