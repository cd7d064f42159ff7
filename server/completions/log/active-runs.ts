import type { AbortReason } from '../loop/ask-model.ts'
import type { OpenQuestions } from '../tools/pending-elicitations.ts'
import type { RunRecorder } from './run-recorder.ts'

/** A run that this process writes. */
export interface ActiveRun {
  readonly chatId: string
  readonly messageId: string
  readonly recorder: RunRecorder
  readonly questions: OpenQuestions
  /** Ends it; what it has said so far is kept. */
  abort(reason: AbortReason): void
  /** Resolves when its end is stored, or cannot be. */
  readonly ended: Promise<void>
}

/** The runs that this process writes, by their ids. */
export type ActiveRuns = Map<number, ActiveRun>
