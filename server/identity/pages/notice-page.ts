import { html } from './html.ts'
import type { Page } from './render-page.ts'

/** Says what happened and offers the way on. */
export function noticePage(
  title: string,
  sentence: string,
  action: { readonly text: string; readonly href: string } = { text: 'Back to Yonder', href: '/' },
): Page {
  return { title, sentence, body: html`<a class="button" href="${action.href}">${action.text}</a>` }
}
