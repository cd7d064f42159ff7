import { use } from 'react'
import type { MessageGroup } from '../list/message-tree.ts'
import { ReplacedSummary } from './replaced-summary.tsx'
import { SummariesContext } from './summaries-context.ts'
import { SummaryBlock } from './summary-block.tsx'

/** The summaries that are shown after a group of messages. */
export function SummariesAfter({ group }: { readonly group: MessageGroup }) {
  const summaries = use(SummariesContext)
  if (summaries === undefined) return null
  return group.map(({ id }) => {
    const placed = summaries.after(id)
    if (placed === undefined) return null
    const { compaction, isReplaced } = placed
    const Block = isReplaced ? ReplacedSummary : SummaryBlock
    return <Block key={compaction.id} compaction={compaction} summaries={summaries} />
  })
}
