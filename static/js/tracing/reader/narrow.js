// <details class="narrow-fold">: folded where there is little room, open elsewhere. The stylesheet
// shows all of it there; that it is open tells those who do not see it.

const WIDE = "(width > 50rem)";
const FOLDS = ".narrow-fold:not([data-menu])";

// Answers what is to be called when such folds have come into the page.
export function watchFolds(document) {
  const wide = matchMedia(WIDE);
  const open = (isOpen) => {
    for (const fold of document.querySelectorAll(FOLDS)) fold.open = isOpen;
  };
  const draw = () => {
    if (wide.matches) open(true);
  };
  wide.addEventListener("change", () => open(wide.matches));
  draw();
  return draw;
}
