import { maxInstructionsChars } from '@yonder/contract/lib/bot-limits'
import type { ProjectDetails } from '@yonder/contract/project'
import { useId, useState } from 'react'
import { useChangeProject } from '../../data/projects.ts'
import { formatCount } from '../../lib/format-usage.ts'
import { describeChanges } from '../../lib/use-form.ts'
import { Button } from '../../ui/button/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { useDiscardQuestion } from '../../ui/dialog/discard-question.tsx'
import { TextArea } from '../../ui/form/text-area.tsx'
import { isCancelKey } from '../../ui/shortcut/shortcut.ts'
import { drafts, storageKeys } from '../chat/chat-storage.ts'
import { estimateTokens } from '../chat/composer/context-gauge.tsx'

/** Instructions that are being edited: the text, and the saved one when the edit began. */
interface Edit {
  readonly text: string
  readonly before: string
}

/**
 * The edit of a project's instructions. It is stored until it is saved or discarded, so that leaving the page loses
 * nothing.
 */
export function useInstructionsEdit({ id, instructions }: Pick<ProjectDetails, 'id' | 'instructions'>) {
  const key = storageKeys.projectInstructions(id)
  const [edit, setEdit] = useState<Edit | undefined>(() => {
    const text = drafts.read(key)
    return text === '' || text === instructions ? undefined : { text, before: instructions }
  })
  const store = (next: Edit | undefined) => {
    setEdit(next)
    drafts.write(key, next?.text ?? '')
  }
  const save = useChangeProject(id)
  const question = useDiscardQuestion(describeChanges(edit !== undefined, save.pending), () =>
    store(undefined),
  )
  return {
    text: edit?.text ?? instructions,
    isEdited: edit !== undefined,
    /** Whether another page has saved other instructions since the edit began. */
    isOutdated: edit !== undefined && edit.before !== instructions,
    isSaving: save.pending,
    change: (text: string) =>
      store(text === instructions ? undefined : { text, before: edit?.before ?? instructions }),
    save: async () => {
      const saved = edit?.text
      if (saved === undefined || save.pending || !(await save.run({ instructions: saved })).done) return
      store(undefined)
    },
    discard: question.requestClose,
    question: question.question,
  }
}

export type InstructionsEdit = ReturnType<typeof useInstructionsEdit>

/** The editor of a project's instructions. Escape asks before it discards changes. */
export function ProjectInstructions({ edit }: { readonly edit: InstructionsEdit }) {
  const id = useId()
  const { text, isEdited, isOutdated, isSaving } = edit
  const { length } = text.trim()
  const isTooLong = length > maxInstructionsChars
  return (
    <form
      aria-label="Instructions"
      className="flex flex-col gap-1.5 pb-8"
      onSubmit={(event) => {
        event.preventDefault()
        if (!isTooLong) void edit.save()
      }}
    >
      <label htmlFor={id} className="text-sm font-medium">
        Instructions for all chats of this project
      </label>
      <TextArea
        id={id}
        aria-describedby={`${id}-hint ${id}-length`}
        aria-invalid={isTooLong || undefined}
        value={text}
        onChange={(event) => edit.change(event.target.value)}
        onKeyDown={(event) => {
          if (!isEdited || !isCancelKey(event)) return
          event.preventDefault()
          edit.discard()
        }}
      />
      <p id={`${id}-hint`} className="text-xs text-muted">
        The model reads them before those of the bot. {'{{user}}'}, {'{{date}}'} and {'{{time_zone}}'} are
        filled in.
      </p>
      <output
        id={`${id}-length`}
        className={classNames('text-xs tabular-nums', isTooLong ? 'text-danger' : 'text-muted')}
      >
        {describeLength(length)}
      </output>
      {isOutdated && (
        <output className="text-xs text-warning">
          Other instructions were saved in another tab. Saving replaces them.
        </output>
      )}
      <div className="mt-1.5 flex justify-end gap-2">
        <Button look="plain" disabled={!isEdited} onClick={edit.discard}>
          Cancel
        </Button>
        <Button look="primary" type="submit" busy={isSaving} disabled={!isEdited || isTooLong}>
          Save
        </Button>
      </div>
    </form>
  )
}

function describeLength(chars: number): string {
  if (chars > maxInstructionsChars)
    return `${formatCount(chars)} of ${formatCount(maxInstructionsChars)} characters. Shorten them to save them.`
  return `${formatCount(chars)} ${chars === 1 ? 'character' : 'characters'}, about ${formatCount(estimateTokens(chars))} tokens of every message`
}
