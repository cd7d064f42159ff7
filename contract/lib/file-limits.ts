/** Files of one message. */
export const maxFilesPerMessage = 10
/** Characters of a file's name and of the text that describes a picture. */
export const maxFileNameChars = 255
export const maxAltChars = 1_000

/** The types of pictures that are shown in the page. Every other file is only offered for download. */
export const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** The beginning of the ids of files that an import did not bring. Nothing is stored under such an id. */
export const missingFilePrefix = 'missing-'

export function isPicture(type: string): boolean {
  return (pictureTypes as readonly string[]).includes(type)
}
