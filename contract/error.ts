import { z } from 'zod'
import { errorCodes } from './error-codes.ts'

/** The body of every answer that is not a success, and the `error` of a stream event. */
export const ErrorDetail = z.object({
  code: z.enum(errorCodes),
  message: z.string(),
})
export type ErrorDetail = z.infer<typeof ErrorDetail>

export const ErrorBody = z.object({ error: ErrorDetail })
export type ErrorBody = z.infer<typeof ErrorBody>
