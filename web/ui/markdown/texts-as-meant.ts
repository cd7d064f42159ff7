/** What short texts mean, as people and models write them: the text, and the structure that a reader expects. */
export const textsAsMeant: Readonly<Record<string, readonly (readonly [text: string, structure: string])[]>> =
  {
    Chinese: [
      ['**该星号不会被识别。**这是', '<strong>该星号不会被识别。</strong>这是'],
      [
        '这是**“引号”**里的强调，以及**《书名》**和**（括号）**后面的字。',
        '这是<strong>“引号”</strong>里的强调，以及<strong>《书名》</strong>和<strong>（括号）</strong>后面的字。',
      ],
      ['~~删除。~~这里和~~（旧）~~新', '<del>删除。</del>这里和<del>（旧）</del>新'],
      ['见 https://example.com/docs（中文说明）', '见 <a>https://example.com/docs</a>（中文说明）'],
      [
        '请访问https://example.com/docs，然后点击“下一步”。',
        '请访问<a>https://example.com/docs</a>，然后点击“下一步”。',
      ],
      [
        '**详见 https://example.com/a。**谢谢，**https://example.com/b**也行',
        '<strong>详见 <a>https://example.com/a</a>。</strong>谢谢，<strong><a>https://example.com/b</a></strong>也行',
      ],
      [
        '维基：https://zh.wikipedia.org/wiki/中文维基百科。搜索 https://example.com/?q=中文&n=1。',
        '维基：<a>https://zh.wikipedia.org/wiki/中文维基百科</a>。搜索 <a>https://example.com/?q=中文&n=1</a>。',
      ],
      [
        '打开 https://example.com/docs查看，或 http://localhost:3000/即可，或 www.example.com。',
        '打开 <a>https://example.com/docs</a>查看，或 <a>http://localhost:3000/</a>即可，或 <a>www.example.com</a>。',
      ],
      [
        '价格约5~10元，优惠后3~4元；气温-5~10℃，3-4级风。',
        '价格约5~10元，优惠后3~4元；气温-5~10℃，3-4级风。',
      ],
      ['床前明月光，\n疑是地上霜。', '床前明月光，<br>疑是地上霜。'],
      [
        '1. **第一步：**安装\n2. **第二步：**运行\n   - 子项（可选）',
        '<ol><li><strong>第一步：</strong>安装</li>\n<li><strong>第二步：</strong>运行\n<ul><li>子项（可选）</li></ul></li></ol>',
      ],
      ['· 要点一\n· 要点二\n①第一\n②第二', '· 要点一<br>· 要点二<br>①第一<br>②第二'],
      [
        '| 项目 | 说明 |\n|---|---|\n| 甲 | 第一行<br>第二行 |\n| 乙 | **重要！**请看 |',
        '<table><tr><th>项目</th><th>说明</th></tr><tr><td>甲</td><td>第一行<br>第二行</td></tr><tr><td>乙</td><td><strong>重要！</strong>请看</td></tr></table>',
      ],
      ['\u3000\u3000段首空两格。', '\u3000\u3000段首空两格。'],
      [
        '使用`npm install`命令，“`node`”再运行。',
        '使用<code>npm install</code>命令，“<code>node</code>”再运行。',
      ],
      ['> 学而时习之，\n> 不亦说乎？', '<blockquote>学而时习之，<br>不亦说乎？</blockquote>'],
      [
        '只需$5（约36元），不到$10；变量$a和$b的值，公式$x^2$成立。',
        '只需$5（约36元），不到$10；变量$a和$b的值，公式<math>x^2</math>成立。',
      ],
      [
        '联系邮箱a@example.com，见[文档](https://example.com/docs)（第2章）。',
        '联系邮箱<a>a@example.com</a>，见<a https://example.com/docs>文档</a>（第2章）。',
      ],
      [
        '## 标题：**重点。**说明\n\n正文“引用”——破折号……省略号。',
        '<h2>标题：<strong>重点。</strong>说明</h2>正文“引用”——破折号……省略号。',
      ],
      ['*斜体。*后面有字，***两者！***都有', '<em>斜体。</em>后面有字，<em><strong>两者！</strong></em>都有'],
    ],
    Japanese: [
      ['**これは重要です。**次に進みます。', '<strong>これは重要です。</strong>次に進みます。'],
      [
        '彼は**「はい」**と言った。*『本』*を読む。',
        '彼は<strong>「はい」</strong>と言った。<em>『本』</em>を読む。',
      ],
      [
        '詳しくはhttps://example.com/docsを参照してください。',
        '詳しくは<a>https://example.com/docs</a>を参照してください。',
      ],
      [
        '公式サイト（https://example.com/）をご覧ください。https://example.com/docs/にあります。',
        '公式サイト（<a>https://example.com/</a>）をご覧ください。<a>https://example.com/docs/</a>にあります。',
      ],
      [
        'https://ja.wikipedia.org/wiki/日本語 を見る。',
        '<a>https://ja.wikipedia.org/wiki/日本語</a> を見る。',
      ],
      ['・項目一\n・項目二\n・項目三', '・項目一<br>・項目二<br>・項目三'],
      ['１．はじめに\n２．つぎに', '１．はじめに<br>２．つぎに'],
      ['~~取り消し。~~訂正', '<del>取り消し。</del>訂正'],
      ['営業時間は10~18時、土日は11~17時です。', '営業時間は10~18時、土日は11~17時です。'],
      [
        '*強調*と**太字**と***両方！***です',
        '<em>強調</em>と<strong>太字</strong>と<em><strong>両方！</strong></em>です',
      ],
      ['山路を登りながら、\nこう考えた。', '山路を登りながら、<br>こう考えた。'],
      [
        '「`git push`」を実行し、`main`に送る。',
        '「<code>git push</code>」を実行し、<code>main</code>に送る。',
      ],
      ['**注意：**`rm -rf`は危険です。', '<strong>注意：</strong><code>rm -rf</code>は危険です。'],
      [
        '| 項目 | 値 |\n|---|---|\n| 名前 | 田中<br/>太郎 |',
        '<table><tr><th>項目</th><th>値</th></tr><tr><td>名前</td><td>田中<br>太郎</td></tr></table>',
      ],
      [
        '- **名前**：田中\n- **年齢：**30歳',
        '<ul><li><strong>名前</strong>：田中</li>\n<li><strong>年齢：</strong>30歳</li></ul>',
      ],
      ['価格は¥500〜¥1,000（$5~$10）です。', '価格は¥500〜¥1,000（$5~$10）です。'],
      ['メール：info@example.co.jpまで。', 'メール：<a>info@example.co.jp</a>まで。'],
      [
        '「〜」は波ダッシュ、「~」はチルダ、「～」は全角。',
        '「〜」は波ダッシュ、「~」はチルダ、「～」は全角。',
      ],
      ['それは…**まさか！？**と叫んだ。', 'それは…<strong>まさか！？</strong>と叫んだ。'],
      ['**ﾊﾝｶｸ｡**ｶﾅと**全角。**カナ', '<strong>ﾊﾝｶｸ｡</strong>ｶﾅと<strong>全角。</strong>カナ'],
    ],
    Korean: [
      ['**한국어(Korean)**는 교착어입니다.', '<strong>한국어(Korean)</strong>는 교착어입니다.'],
      ['**"따옴표"**는 강조됩니다.', '<strong>"따옴표"</strong>는 강조됩니다.'],
      ['**중요합니다.**그리고 계속합니다.', '<strong>중요합니다.</strong>그리고 계속합니다.'],
      ["*'강조'*입니다. ***정말!***이에요", "<em>'강조'</em>입니다. <em><strong>정말!</strong></em>이에요"],
      [
        '자세한 내용은 https://example.com/docs에서 확인하세요.',
        '자세한 내용은 <a>https://example.com/docs</a>에서 확인하세요.',
      ],
      [
        'https://example.com/docs를 보거나 https://example.com/docs/에서 찾으세요.',
        '<a>https://example.com/docs</a>를 보거나 <a>https://example.com/docs/</a>에서 찾으세요.',
      ],
      ['문서(https://example.com/docs)를 참고하세요.', '문서(<a>https://example.com/docs</a>)를 참고하세요.'],
      ['https://ko.wikipedia.org/wiki/한국어 참고', '<a>https://ko.wikipedia.org/wiki/한국어</a> 참고'],
      ['~~삭제(됨)~~는 취소', '<del>삭제(됨)</del>는 취소'],
      ['가격은 5~10만원, 할인 시 3~4만원입니다.', '가격은 5~10만원, 할인 시 3~4만원입니다.'],
      ['오전 9시~오후 6시, 1~2월', '오전 9시~오후 6시, 1~2월'],
      [
        '1. **첫째:**설치\n2. **둘째:** 실행',
        '<ol><li><strong>첫째:</strong>설치</li>\n<li><strong>둘째:</strong> 실행</li></ol>',
      ],
      [
        '`npm install`을 실행하고 `node`로 시작',
        '<code>npm install</code>을 실행하고 <code>node</code>로 시작',
      ],
      [
        '| 항목 | 설명 |\n|---|---|\n| 이름 | 홍<br>길동 |',
        '<table><tr><th>항목</th><th>설명</th></tr><tr><td>이름</td><td>홍<br>길동</td></tr></table>',
      ],
      ['나 보기가 역겨워\n가실 때에는', '나 보기가 역겨워<br>가실 때에는'],
      ['이메일은 a@example.com으로 보내세요.', '이메일은 <a>a@example.com</a>으로 보내세요.'],
      [
        '**「책」**을 읽고 **<문서>**를 보세요.',
        '<strong>「책」</strong>을 읽고 <strong><문서></strong>를 보세요.',
      ],
      ['> 인용문입니다.\n> 두 번째 줄', '<blockquote>인용문입니다.<br>두 번째 줄</blockquote>'],
      ['약 $5(₩7,000)에서 $10까지', '약 $5(₩7,000)에서 $10까지'],
      [
        '**A/B**와 **`code`**를, **100%**로',
        '<strong>A/B</strong>와 <strong><code>code</code></strong>를, <strong>100%</strong>로',
      ],
    ],
    Arabic: [
      ['هذا نص **مهم:** للقراءة.', 'هذا نص <strong>مهم:</strong> للقراءة.'],
      ['انظر https://example.com/docs، ثم تابع.', 'انظر <a>https://example.com/docs</a>، ثم تابع.'],
      ['هل زرت https://example.com/docs؟ نعم؛', 'هل زرت <a>https://example.com/docs</a>؟ نعم؛'],
      [
        'استخدم الأمر `npm install` ثم `node app.js`.',
        'استخدم الأمر <code>npm install</code> ثم <code>node app.js</code>.',
      ],
      [
        '1. افتح الملف\n2. `npm start` ثم انتظر\n3. Done, next',
        '<ol><li>افتح الملف</li>\n<li><code>npm start</code> ثم انتظر</li>\n<li>Done, next</li></ol>',
      ],
      ['- `code` أولاً\n- ثانياً: API', '<ul><li><code>code</code> أولاً</li>\n<li>ثانياً: API</li></ul>'],
      [
        '| الاسم | القيمة |\n|---|---|\n| السعر | 5$ |\n| الرابط | API<br>ثانٍ |',
        '<table><tr><th>الاسم</th><th>القيمة</th></tr><tr><td>السعر</td><td>5$</td></tr><tr><td>الرابط</td><td>API<br>ثانٍ</td></tr></table>',
      ],
      ['> قال: «مرحباً»!\n> ثم ذهب.', '<blockquote>قال: «مرحباً»!<br>ثم ذهب.</blockquote>'],
      ['## عنوان: **مهم**!', '<h2>عنوان: <strong>مهم</strong>!</h2>'],
      ['مرحباً! Hello, world.\nThe end.\nالنهاية.', 'مرحباً! Hello, world.<br>The end.<br>النهاية.'],
      ['السعر من 5~10 دولارات، أو 3~4.', 'السعر من 5~10 دولارات، أو 3~4.'],
      ['درجة الحرارة -5 إلى 10°م (50%)', 'درجة الحرارة -5 إلى 10°م (50%)'],
      [
        'البريد: a@example.com، والهاتف: +966 50 123 4567.',
        'البريد: <a>a@example.com</a>، والهاتف: +966 50 123 4567.',
      ],
      ['الملف C:\\Users\\me\\.ssh\\config موجود.', 'الملف C:\\Users\\me\\.ssh\\config موجود.'],
      ['~~محذوف،~~ جديد', '<del>محذوف،</del> جديد'],
      [
        '*مائل،* و**غامق.** و***كلاهما!***',
        '<em>مائل،</em> و<strong>غامق.</strong> و<em><strong>كلاهما!</strong></em>',
      ],
      ['المعادلة $x^2 + 1$ صحيحة (انظر أدناه).', 'المعادلة <math>x^2 + 1</math> صحيحة (انظر أدناه).'],
      ['- [x] تم\n- [ ] لم يتم', '<ul><li>[x] تم</li>\n<li>[ ] لم يتم</li></ul>'],
      [
        'قفا نبكِ من ذكرى حبيبٍ ومنزلِ\nبسقطِ اللوى بينَ الدخولِ فحوملِ',
        'قفا نبكِ من ذكرى حبيبٍ ومنزلِ<br>بسقطِ اللوى بينَ الدخولِ فحوملِ',
      ],
      ['**ملاحظة؟** نعم، **«اقتباس»** هنا.', '<strong>ملاحظة؟</strong> نعم، <strong>«اقتباس»</strong> هنا.'],
    ],
    Hebrew: [
      ['זה טקסט **חשוב:** לקריאה.', 'זה טקסט <strong>חשוב:</strong> לקריאה.'],
      ['**שים לב!** קרא את *"הספר"* הזה.', '<strong>שים לב!</strong> קרא את <em>"הספר"</em> הזה.'],
      ['ראו https://example.com/docs, ואז המשיכו.', 'ראו <a>https://example.com/docs</a>, ואז המשיכו.'],
      ['כתובת: https://example.com/docs. סוף!', 'כתובת: <a>https://example.com/docs</a>. סוף!'],
      [
        'הריצו `npm install` ואז `node app.js`.',
        'הריצו <code>npm install</code> ואז <code>node app.js</code>.',
      ],
      [
        '1. פתחו קובץ\n2. `npm start` והמתינו\n3. Done, next',
        '<ol><li>פתחו קובץ</li>\n<li><code>npm start</code> והמתינו</li>\n<li>Done, next</li></ol>',
      ],
      ['- `code` ראשון\n- שני: API', '<ul><li><code>code</code> ראשון</li>\n<li>שני: API</li></ul>'],
      [
        '| שם | ערך |\n|---|---|\n| מחיר | $5 |\n| API | שורה<br>שנייה |',
        '<table><tr><th>שם</th><th>ערך</th></tr><tr><td>מחיר</td><td>$5</td></tr><tr><td>API</td><td>שורה<br>שנייה</td></tr></table>',
      ],
      ['> אמר: "שלום"!\n> והלך.', '<blockquote>אמר: "שלום"!<br>והלך.</blockquote>'],
      ['## כותרת: **חשוב**!', '<h2>כותרת: <strong>חשוב</strong>!</h2>'],
      ['שלום! Hello, world.\nThe end.\nהסוף.', 'שלום! Hello, world.<br>The end.<br>הסוף.'],
      ['בין 5~10 שקלים, או 3~4.', 'בין 5~10 שקלים, או 3~4.'],
      ['ב-**API** של ה-SDK, ל־**Google**־', 'ב-<strong>API</strong> של ה-SDK, ל־<strong>Google</strong>־'],
      ['דוא"ל: a@example.com, צה"ל, ג׳ירפה.', 'דוא"ל: <a>a@example.com</a>, צה"ל, ג׳ירפה.'],
      ['הקובץ C:\\Users\\me\\.ssh\\config קיים.', 'הקובץ C:\\Users\\me\\.ssh\\config קיים.'],
      ['~~נמחק,~~ חדש', '<del>נמחק,</del> חדש'],
      [
        '*נטוי,* ו**מודגש.** ו***שניהם!***',
        '<em>נטוי,</em> ו<strong>מודגש.</strong> ו<em><strong>שניהם!</strong></em>',
      ],
      ['הנוסחה $x^2 + 1$ נכונה (ראו להלן).', 'הנוסחה <math>x^2 + 1</math> נכונה (ראו להלן).'],
      ['- [x] בוצע\n- [ ] לא בוצע', '<ul><li>[x] בוצע</li>\n<li>[ ] לא בוצע</li></ul>'],
      ['בְּרֵאשִׁית בָּרָא אֱלֹהִים\nאֵת הַשָּׁמַיִם', 'בְּרֵאשִׁית בָּרָא אֱלֹהִים<br>אֵת הַשָּׁמַיִם'],
    ],
    prose: [
      ['It costs $5 and $10, or US$5 to US$10.', 'It costs $5 and $10, or US$5 to US$10.'],
      [
        'Pay $5 (or 10$), i.e. $5/month, $10/year; $5k-$10k.',
        'Pay $5 (or 10$), i.e. $5/month, $10/year; $5k-$10k.',
      ],
      ['Between 5~10 and 3~4, about ~5 or ~10.', 'Between 5~10 and 3~4, about ~5 or ~10.'],
      ['Ranges 3-4, 3–4, 3—4 and 1...5.', 'Ranges 3-4, 3–4, 3—4 and 1...5.'],
      [
        'Open C:\\new, C:\\Users\\me\\.ssh\\_old\\-x and D:\\$Recycle.Bin\\.',
        'Open C:\\new, C:\\Users\\me\\.ssh\\_old\\-x and D:\\$Recycle.Bin\\.',
      ],
      ['Copy \\\\server\\share\\_new to Z:\\.', 'Copy \\\\server\\share\\_new to Z:\\.'],
      [
        'Call snake_case_name and other_snake_name, _private and __init__ or __init__.py.',
        'Call snake_case_name and other_snake_name, _private and __init__ or __init__.py.',
      ],
      [
        'See src/__tests__/a.test.ts, `__all__`, if __name__ == "__main__": and __bold words__.',
        'See src/__tests__/a.test.ts, <code>__all__</code>, if __name__ == "__main__": and <strong>bold words</strong>.',
      ],
      ['H~2~O and CO_2, H_2O, x^2^ and 10^-3^.', 'H~2~O and CO_2, H_2O, x^2^ and 10^-3^.'],
      ['E = mc^2, v_0 and a_1 * b_2 * c_3, 2*3*4 = 24.', 'E = mc^2, v_0 and a_1 * b_2 * c_3, 2*3*4 = 24.'],
      [
        '$HOME/$USER and $PATH:$HOME/bin in ~/.bashrc and ~/bin.',
        '$HOME/$USER and $PATH:$HOME/bin in ~/.bashrc and ~/bin.',
      ],
      [
        'The $n$th of $k$ terms: $a_1, \\dots, a_n$ and $\\frac{1}{2}$.',
        'The <math>n</math>th of <math>k</math> terms: <math>a_1, \\dots, a_n</math> and <math>\\frac{1}{2}</math>.',
      ],
      [
        'README.md, package.json, index.js and example.py are files; node.js is a name.',
        'README.md, package.json, index.js and example.py are files; node.js is a name.',
      ],
      [
        'Clone git@github.com:owner/name.git or write to ada@example.com.',
        'Clone git@github.com:owner/name.git or write to <a>ada@example.com</a>.',
      ],
      ['Roses are red,\nViolets are blue.', 'Roses are red,<br>Violets are blue.'],
      ['Best regards,\nAda Lovelace', 'Best regards,<br>Ada Lovelace'],
      ['Use `a < b`, <b>no</b> HTML but<br>lines.', 'Use <code>a < b</code>, <b>no</b> HTML but<br>lines.'],
      [
        '| a | b |\n|---|---|\n| one<br>two<br />three | x \\| y |',
        '<table><tr><th>a</th><th>b</th></tr><tr><td>one<br>two<br>three</td><td>x | y</td></tr></table>',
      ],
      ['~~gone~~ and ~not gone~, 1~2~3.', '<del>gone</del> and ~not gone~, 1~2~3.'],
      [
        '(see https://example.com/a_(b)) and https://example.com/a_b_c. “https://example.com/q”',
        '(see <a>https://example.com/a_(b)</a>) and <a>https://example.com/a_b_c</a>. “<a>https://example.com/q</a>”',
      ],
      [
        'a*b*c, x1*y1*z1 and 2**3**4, but *a* and **2** are marked.',
        'a*b*c, x1*y1*z1 and 2**3**4, but <em>a</em> and <strong>2</strong> are marked.',
      ],
      [
        'Not a path: \\*, \\_ and 1\\. one; [a\\]b](https://example.com/q_(x)).',
        'Not a path: *, _ and 1. one; <a https://example.com/q_(x)>a]b</a>.',
      ],
    ],
  }
