import { toContent } from '../message-text.ts'
import type { FileRef, MessageContent } from '../message.ts'

const cat: FileRef = { id: 'f1', name: 'cat.png', type: 'image/png', size: 3 }
const plan: FileRef = { id: 'f2', name: '../計画 "2026".pdf', type: 'application/pdf', size: 2_500_000 }

/** What a message may contain: no text, a blank one and others, each without files, with one and with two. */
export const someContents: readonly MessageContent[] = ['', ' \n', 'Look', '[1] größer 🧀\n\nnow'].flatMap(
  (text) => [[], [cat], [plan, cat]].map((files) => toContent(text, files)),
)
