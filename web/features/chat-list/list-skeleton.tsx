import { Skeleton } from '../../ui/states/progress.tsx'

const sizes = ['h-3.5 w-3/5', 'h-3.5 w-4/5', 'h-3.5 w-1/2', 'h-3.5 w-2/3', 'h-3.5 w-3/4', 'h-3.5 w-2/5']

/** A placeholder with the shape of the list. */
export function ListSkeleton() {
  return (
    <output aria-label="Loading the chats" className="flex flex-col gap-5 px-4.5 pt-16">
      {sizes.map((size) => (
        <Skeleton key={size} size={size} />
      ))}
    </output>
  )
}
