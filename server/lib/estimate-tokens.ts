/** Common tokenizers have 3.5 to 4.5 for English text. The lowest is used, because a higher estimate is safer. */
export const asciiCharsPerToken = 3.5
/** Tokens that a provider adds to each message. */
export const tokensPerMessage = 4

/**
 * Estimates the tokens of a text, for any tokenizer: one per 3.5 ASCII characters, and one for each other UTF-16 unit,
 * such as a Chinese character.
 */
export function estimateTokens(text: string): number {
  let ascii = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) < 128) ascii++
  return Math.ceil(ascii / asciiCharsPerToken) + (text.length - ascii)
}
