import { useState } from 'react'

export interface AvatarProps {
  readonly name: string
  readonly picture?: string | null | undefined
  /** The width and height in pixels. */
  readonly size: number
}

/** A user's picture, or the first letter of the name when there is no picture or it cannot be loaded. */
export function Avatar({ name, picture, size }: AvatarProps) {
  const [failedPicture, setFailedPicture] = useState<string>()
  if (picture && picture !== failedPicture)
    return (
      <img
        src={picture}
        alt=""
        width={size}
        height={size}
        referrerPolicy="no-referrer"
        onError={() => setFailedPicture(picture)}
        className="shrink-0 rounded-full object-cover"
        style={{ width: size, height: size }}
      />
    )
  return (
    <span
      aria-hidden
      className="inline-flex shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-accent uppercase"
      style={{ width: size, height: size, fontSize: size * 0.44 }}
    >
      {firstLetter(name)}
    </span>
  )
}

function firstLetter(name: string): string {
  for (const { segment } of new Intl.Segmenter().segment(name.trim())) return segment
  return '?'
}
