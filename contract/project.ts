import { z } from 'zod'
import { maxInstructionsChars } from './lib/bot-limits.ts'
import { maxProjectNameChars } from './lib/project-limits.ts'

/** A project as lists show it. */
export const Project = z.object({
  id: z.string(),
  name: z.string(),
  /** The bot with which its chats begin; null for none, also after that bot was deleted. */
  bot: z.string().nullable(),
})
export type Project = z.infer<typeof Project>

/** All projects of a user, oldest first. */
export const ProjectList = z.array(Project)

/** A project as its page shows it. */
export const ProjectDetails = Project.extend({
  /** Stand before the instructions of the bot in each chat of the project, before their variables are replaced. */
  instructions: z.string(),
  /** How many chats it has; archived ones count, deleted ones do not. */
  chats: z.int(),
})
export type ProjectDetails = z.infer<typeof ProjectDetails>

/** The input that creates a project. The name becomes one line, without characters that cannot be seen. */
export const ProjectInput = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'is missing')
    .max(10 * maxProjectNameChars, `must have at most ${maxProjectNameChars} characters`),
  instructions: z
    .string()
    .trim()
    .max(maxInstructionsChars, `must have at most ${maxInstructionsChars.toLocaleString('en')} characters`)
    .optional(),
  /** The name of a bot. */
  bot: z.string().max(200).nullish(),
})
export type ProjectInput = z.infer<typeof ProjectInput>

/** A change of a project. An absent field keeps its value. */
export const ProjectChange = ProjectInput.partial()
export type ProjectChange = z.infer<typeof ProjectChange>

/** What becomes of the chats of a project that is deleted. They can be deleted where users may delete chats. */
export const ProjectDeletion = z.object({ chats: z.enum(['keep', 'delete']).optional().default('keep') })
export type ProjectDeletion = z.infer<typeof ProjectDeletion>

/** The ids of the chats that were deleted with a project. `PATCH /api/chats` restores them, in no project. */
export const DeletedProject = z.object({ deleted_chats: z.array(z.string()) })
export type DeletedProject = z.infer<typeof DeletedProject>
