import { z } from 'zod'

const shared = {
  name: z.string(),
  label: z.string(),
  description: z.string().nullable(),
  required: z.boolean(),
}
export const textFormats = ['email', 'uri', 'date', 'date-time'] as const

/** A number, or its text when a double cannot hold it, with every digit. */
const WrittenNumber = z.union([z.number(), z.string()])

/** A field of the form that a tool asks the user to fill in. The texts come from the tool's server. */
export const ElicitationField = z.discriminatedUnion('kind', [
  z.object({
    ...shared,
    kind: z.literal('text'),
    format: z.enum(textFormats).nullable(),
    minLength: z.number().nullable(),
    maxLength: z.number().nullable(),
    /** The initial value. */
    value: z.string().nullable(),
  }),
  z.object({
    ...shared,
    kind: z.literal('number'),
    whole: z.boolean(),
    minimum: WrittenNumber.nullable(),
    maximum: WrittenNumber.nullable(),
    value: WrittenNumber.nullable(),
  }),
  z.object({ ...shared, kind: z.literal('switch'), value: z.boolean().nullable() }),
  z.object({
    ...shared,
    kind: z.literal('choice'),
    /** Several options may be chosen; the answer is then a list. */
    many: z.boolean(),
    options: z.array(z.object({ value: z.string(), label: z.string() })),
    value: z.array(z.string()),
  }),
])
export type ElicitationField = z.infer<typeof ElicitationField>

/** A page at another site that the user is asked to open. Its address is http or https and has no user name. */
export const ElicitationPage = z.object({
  address: z.string(),
  /**
   * True when the call has failed and Yonder makes it again once the user has finished on the page and presses
   * 'Continue', which sends the answer. Otherwise opening the page sends the answer, and the tool's server waits until
   * the user has finished.
   */
  needs_continue: z.boolean(),
})
export type ElicitationPage = z.infer<typeof ElicitationPage>

/** A form, or a page to open, that an MCP server shows to the user during a call. With a page, there are no fields. */
export const Elicitation = z.object({
  message: z.string(),
  fields: z.array(ElicitationField),
  page: ElicitationPage.optional(),
})
export type Elicitation = z.infer<typeof Elicitation>

/** `decline` refuses the form or page. `cancel` closes it without a decision, for example after a timeout. */
export const ElicitationAnswer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  /** The values of the fields. A number may also be its text, which is sent to the tool's server as it is written. */
  content: z
    .record(z.string().max(100), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
})
export type ElicitationAnswer = z.infer<typeof ElicitationAnswer>
