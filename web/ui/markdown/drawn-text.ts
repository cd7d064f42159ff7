import { Lexer, type Token, type Tokens } from 'marked'
import { createBlockSplitter } from './split-blocks.ts'

/**
 * Returns the text of markdown as it is drawn, without its marks, `blockBreak` between blocks. It is much faster than
 * drawing, and may differ from it in rare constructs. Formulas and images are left out.
 */
export function drawnText(markdown: string, blockBreak: string): string {
  const texts = createBlockSplitter()(markdown).blocks.flatMap((block) => {
    if (block.kind === 'code') return block.code
    return block.kind === 'plain' ? block.source : textsOfBlocks(new Lexer().lex(block.source))
  })
  return texts.join(blockBreak)
}

function textsOfBlocks(tokens: readonly Token[]): readonly string[] {
  return tokens.flatMap((token): readonly string[] => {
    switch (token.type) {
      case 'list':
        return (token as Tokens.List).items.flatMap((item) => textsOfBlocks(item.tokens))
      case 'table': {
        const { header, rows } = token as Tokens.Table
        return [header, ...rows].flatMap((row) => row.map((cell) => inlineText(cell.tokens)))
      }
      case 'blockquote':
        return textsOfBlocks((token as Tokens.Blockquote).tokens)
      case 'paragraph':
      case 'heading':
      case 'text':
        return [inlineText((token as Tokens.Text).tokens ?? [token])]
      case 'code':
        return [(token as Tokens.Code).text]
      case 'html':
        return [token.raw]
      default:
        return []
    }
  })
}

function inlineText(tokens: readonly Token[]): string {
  return tokens.map(textOfInline).join('')
}

function textOfInline(token: Token): string {
  switch (token.type) {
    case 'br':
      return '\n'
    case 'image':
      return ''
    case 'html':
      return /^<br\s*\/?>$/i.test(token.raw) ? '\n' : token.raw
    case 'del':
      // One tilde strikes nothing through, see `markdownPlugins`.
      return token.raw.startsWith('~~') ? inlineText(token.tokens ?? []) : token.raw
    default:
      if ('tokens' in token && token.tokens !== undefined) return inlineText(token.tokens)
      return 'text' in token ? String(token.text) : token.raw
  }
}
