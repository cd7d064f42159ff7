import { Skeleton } from '../../../ui/states/progress.tsx'
import { ContentsButton } from '../contents/contents-button.tsx'

/** A placeholder with the shape of a short chat. */
export function ChatSkeleton() {
  return (
    <output
      aria-label="Loading the chat"
      className="mx-auto flex w-full max-w-column flex-col gap-8 px-4 pt-8 sm:px-6"
    >
      <ContentsButton />
      <span className="ml-auto h-12 w-3/5">
        <Skeleton shape="block" />
      </span>
      <span className="flex flex-col gap-3">
        <span className="h-4 w-full">
          <Skeleton />
        </span>
        <span className="h-4 w-11/12">
          <Skeleton />
        </span>
        <span className="h-4 w-2/3">
          <Skeleton />
        </span>
      </span>
    </output>
  )
}
