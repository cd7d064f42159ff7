import type { ResultImage as Image } from '@yonder/contract/tool-call'
import useSWRImmutable from 'swr/immutable'
import { Skeleton } from '../../../ui/states/progress.tsx'

const imageTypes = /^image\/(png|jpeg|gif|webp)$/

/** A picture of a result, read when it is looked at; it never changes. */
export function ResultImage({ address }: { readonly address: string }) {
  const { data: image, error } = useSWRImmutable<Image, Error>(address)
  if (error !== undefined) return <p className="text-sm text-muted">The picture could not be loaded.</p>
  if (image === undefined)
    return (
      <span className="block h-40 w-full">
        <Skeleton />
      </span>
    )
  return imageTypes.test(image.mimeType) ? (
    <img
      src={`data:${image.mimeType};base64,${image.data}`}
      alt="Result of the tool"
      className="tool-image"
    />
  ) : null
}
